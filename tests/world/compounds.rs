//! A compound answers as its children would if each were a separate object where it is placed.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Character, Compound, CompoundError, DrawOptions, Filter, Mesh, Mover, Object,
    ObjectKey, PlacedCompound, PlacedMesh, Response, Shape, SlideOptions, Target, Terrain, World,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Brush, Camera, Capsule, CapsuleSweep, Containment, Error, Frustum, Hull, Obb, Patch, Plane,
        Ray, Segment, Side, Sides, Sphere, SphereSweep, Triangle,
    },
};
use std::borrow::Cow;

/// A world with one compound, and one with its children, whose keys are in the order of their numbers.
struct Pair {
    compound: World,
    whole: ObjectKey,
    children: World,
    keys: Vec<ObjectKey>,
}

impl Pair {
    fn new(placed: &PlacedCompound) -> Self {
        let (mut compound, mut children) = (World::new(), World::new());
        let whole = compound.insert(Object::fixed(placed.clone()));
        let all = (0..placed.compound().len() as u32).map(|number| placed.child(number));
        // A triangle without area keeps its number.
        let far: Shape = Sphere::new(Vec3::splat(1e9), 0.0).unwrap().into();
        let all = all.map(|child| child.map_or_else(|| far.clone(), Cow::into_owned));
        let keys = all.map(|child| children.insert(Object::fixed(child))).collect();
        Self { compound, whole, children, keys }
    }

    fn each<R>(&self, mut ask: impl FnMut(&World) -> R) -> [R; 2] {
        [ask(&self.compound), ask(&self.children)]
    }

    fn key(&self, (target, part): (Target, u32)) -> Target {
        if target == self.whole.into() { self.keys[part as usize].into() } else { target }
    }
}

/// A query with a volume.
type Overlap<'a> = dyn Fn(&World, &mut Vec<Target>) + 'a;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn rotation(rng: &mut Rng) -> Quat {
    let mut any = || 2.0 * rng.f32() - 1.0;
    Quat::from_xyzw(any(), any(), any(), any())
}

/// A shape of the given kind, somewhere within ten of the origin.
fn shape(rng: &mut Rng, kind: usize) -> Shape {
    scaled(rng, kind, 1.0).unwrap()
}

/// A shape `scale` times as large and as far away; an error if there is none.
fn scaled(rng: &mut Rng, kind: usize, scale: f32) -> Result<Shape, Error> {
    let (center, size) = (scale * vector(rng, 8.0), scale * (vector(rng, 1.5).abs() + 0.1));
    let whole = |v: Vec3| (v * (4.0 / scale)).round() * (0.25 * scale);
    let obb = Obb::new(center, rotation(rng), size)?;
    let mut near = |reach: f32| center + vector(rng, reach * scale);
    Ok(match kind {
        // On a grid, for ties.
        0 => Aabb::new(whole(center - size), whole(center + size))?.into(),
        1 => obb.into(),
        2 => Sphere::new(center, size.x)?.into(),
        3 => Capsule::new(center, center + size, 0.5 * size.y)?.into(),
        4 => Hull::new(&[0; 12].map(|_| near(1.5)))?.into(),
        5 => Brush::try_from(&obb)?.into(),
        6 => Patch::new(&[0, 1, 3, 2].map(|corner| obb.corners()[corner]))?.into(),
        _ => Triangle::new(center, near(2.0), near(2.0))?.into(),
    })
}

fn compound(rng: &mut Rng, count: usize) -> Compound {
    Compound::new((0..count).map(|i| shape(rng, i % 8))).unwrap()
}

fn placements(rng: &mut Rng, compound: &Compound) -> Vec<PlacedCompound> {
    let quarter = Quat::from_xyzw(1.0, 0.0, 0.0, 1.0);
    let (turn, shift) = (rotation(rng), vector(rng, 50.0));
    let places = [(Quat::IDENTITY, Vec3::new(3.0, -0.5, 20.0)), (quarter, Vec3::X), (turn, shift)];
    let placed = places.map(|(turn, shift)| PlacedCompound::new(compound, turn, shift).unwrap());
    [PlacedCompound::from(compound.clone())].into_iter().chain(placed).collect()
}

/// Calls `visit` with placed compounds as worlds, a number generator for queries, and the middle of the region to
/// query.
fn each_pair(rounds: usize, mut visit: impl FnMut(&mut Pair, &mut Rng, Vec3)) {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..rounds {
        let compound = compound(&mut rng, 64);
        for placed in placements(&mut rng, &compound) {
            visit(&mut Pair::new(&placed), &mut rng, placed.aabb().center());
        }
    }
}

#[test]
fn rays_and_segments_meet_the_same_children() {
    let mut hits = 0;
    each_pair(16, |pair, rng, middle| {
        for _ in 0..300 {
            let (from, to) = (middle + vector(rng, 14.0), middle + vector(rng, 8.0));
            let ray = Ray::new(from, to - from).unwrap();
            let max = if rng.bool() { f32::INFINITY } else { from.distance(to) };
            let [whole, single] = pair.each(|world| world.cast_ray(&ray, max, &Filter::ALL));
            let told =
                whole.map(|hit| (pair.key((hit.target, hit.part)), hit.distance, hit.exit, hit.point, hit.normal));
            assert_eq!(told, single.map(|hit| (hit.target, hit.distance, hit.exit, hit.point, hit.normal)));
            assert_eq!(pair.compound.any_ray_hit(&ray, max, &Filter::ALL), whole.is_some());
            let segment = Segment::between(from, to).unwrap();
            let [whole, single] = pair.each(|world| {
                let mut hits = vec![];
                world.cast_segment_all(&segment, &Filter::ALL, &mut hits);
                hits
            });
            let told: Vec<_> = whole.iter().map(|hit| (pair.key((hit.target, hit.part)), hit.fraction)).collect();
            assert_eq!(told, single.iter().map(|hit| (hit.target, hit.fraction)).collect::<Vec<_>>());
            hits += whole.len();
        }
    });
    assert!(hits > 8000, "{hits}");
}

#[test]
fn overlaps_and_nearest_points_are_those_of_the_children() {
    let mut touched = 0;
    each_pair(16, |pair, rng, middle| {
        for _ in 0..100 {
            let (center, size) = (middle + vector(rng, 10.0), vector(rng, 0.7).abs());
            let turned = Obb::new(center, rotation(rng), size).unwrap();
            let straight = Aabb::new(center - size, center + size).unwrap();
            let ball = Sphere::new(center, size.x).unwrap();
            let hero = Capsule::new(center, center + size, size.z).unwrap();
            let volumes: [&Overlap; 4] = [
                &|world, near| world.overlap(&turned, &Filter::ALL, near),
                &|world, near| world.overlap(&straight, &Filter::ALL, near),
                &|world, near| world.overlap(&ball, &Filter::ALL, near),
                &|world, near| world.overlap(&hero, &Filter::ALL, near),
            ];
            for overlap in volumes {
                let [whole, single] = pair.each(|world| {
                    let mut near = vec![];
                    overlap(world, &mut near);
                    !near.is_empty()
                });
                assert_eq!(whole, single);
                touched += usize::from(whole);
            }
            for most in [f32::INFINITY, 0.5] {
                let [whole, single] = pair.each(|world| {
                    let mut near = vec![];
                    world.nearest(center, most, 1, &Filter::ALL, &mut near);
                    near.pop()
                });
                let told = whole.map(|near| (pair.key((near.target, near.part)), near.distance, near.point));
                assert_eq!(told, single.map(|near| (near.target, near.distance, near.point)));
            }
        }
    });
    assert!(touched > 1800, "{touched}");
}

#[test]
fn sweeps_of_all_bodies_stop_at_the_same_children() {
    let mut hits = 0;
    each_pair(12, |pair, rng, middle| {
        for _ in 0..60 {
            let (center, motion) = (middle + vector(rng, 12.0), vector(rng, 12.0));
            let body = Obb::new(center, rotation(rng), vector(rng, 0.5).abs()).unwrap();
            let sweep = BoxSweep::new(body, motion).unwrap();
            let ball = SphereSweep::new(Sphere::new(center, 0.4 * rng.f32()).unwrap(), motion).unwrap();
            let hero = Capsule::new(center, center + vector(rng, 1.0), 0.3 * rng.f32()).unwrap();
            let hero = CapsuleSweep::new(hero, motion).unwrap();
            for body in 0..3 {
                let [whole, single] = pair.each(|world| match body {
                    0 => world.sweep(&sweep, &Filter::ALL),
                    1 => world.sweep(&ball, &Filter::ALL),
                    _ => world.sweep(&hero, &Filter::ALL),
                });
                let told = whole.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi, hit.normal, hit.contacts));
                assert_eq!(told, single.hit.map(|hit| (hit.target, hit.toi, hit.normal, hit.contacts)));
                assert_eq!(whole.position, single.position);
                let told = whole.overlap.map(|met| (pair.key((met.target, met.part)), met.depth, met.normal));
                assert_eq!(told, single.overlap.map(|met| (met.target, met.depth, met.normal)));
                hits += usize::from(whole.hit.is_some());
            }
            let spin = sweep.rotating(vector(rng, 3.0)).unwrap();
            let [whole, single] = pair.each(|world| world.sweep_turning(&spin, 1e-3, &Filter::ALL));
            assert_eq!(
                whole.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi)),
                single.hit.map(|hit| (hit.target, hit.toi))
            );
            assert_eq!(whole.body, single.body);
        }
    });
    assert!(hits > 1200, "{hits}");
}

#[test]
fn nothing_is_left_out_far_from_the_origin_and_whatever_the_size() {
    let mut rng = Rng::with_seed(SEED);
    let (mut hits, mut worlds) = (0, 0);
    for _ in 0..300 {
        let scale = 10f32.powf(7.0 * rng.f32() - 3.0);
        let away = scale * 10f32.powf(6.0 * rng.f32());
        let shift = vector(&mut rng, away);
        let children: Vec<Shape> = (0..40).filter_map(|i| scaled(&mut rng, i % 8, scale).ok()).collect();
        let compound = Compound::new(children).unwrap();
        // A patch or a brush that is too thin for its destination is an error.
        let Ok(placed) = PlacedCompound::new(&compound, rotation(&mut rng), shift) else { continue };
        worlds += 1;
        let (pair, middle) = (Pair::new(&placed), placed.aabb().center());
        for _ in 0..60 {
            let (from, to) = (middle + vector(&mut rng, 14.0 * scale), middle + vector(&mut rng, 8.0 * scale));
            let Ok(ray) = Ray::new(from, to - from) else { continue };
            let [whole, single] = pair.each(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
            let told = whole.map(|hit| (pair.key((hit.target, hit.part)), hit.distance, hit.exit, hit.normal));
            assert_eq!(told, single.map(|hit| (hit.target, hit.distance, hit.exit, hit.normal)), "{ray:?}");
            hits += usize::from(whole.is_some());
            let body = Obb::new(from, rotation(&mut rng), scale * vector(&mut rng, 0.5).abs()).unwrap();
            let sweep = BoxSweep::new(body, to - from).unwrap();
            let [whole, single] = pair.each(|world| world.sweep(&sweep, &Filter::ALL));
            let told = whole.hit.map(|hit| (pair.key((hit.target, hit.part)), hit.toi, hit.normal));
            assert_eq!(told, single.hit.map(|hit| (hit.target, hit.toi, hit.normal)), "{sweep:?}");
            assert_eq!(whole.overlap.map(|met| met.depth), single.overlap.map(|met| met.depth), "{sweep:?}");
            let ball = Sphere::new(to, scale * rng.f32()).unwrap();
            let [whole, single] = pair.each(|world| {
                let (mut near, mut nearest) = (vec![], vec![]);
                world.overlap(&ball, &Filter::ALL, &mut near);
                world.nearest(to, f32::INFINITY, 1, &Filter::ALL, &mut nearest);
                (near.is_empty(), nearest[0])
            });
            assert_eq!(whole.0, single.0, "{ball:?}");
            let told = (pair.key((whole.1.target, whole.1.part)), whole.1.distance, whole.1.point);
            assert_eq!(told, (single.1.target, single.1.distance, single.1.point), "{to}");
        }
    }
    assert!(hits > 5000 && worlds > 150, "{hits} in {worlds}");
}

#[test]
fn slides_and_ways_out_are_the_same() {
    let mut contacts = 0;
    each_pair(12, |pair, rng, middle| {
        for _ in 0..30 {
            let (center, motion) = (middle + vector(rng, 9.0), vector(rng, 6.0));
            let body = Obb::new(center, rotation(rng), Vec3::splat(0.1) + vector(rng, 0.3).abs()).unwrap();
            let sweep = BoxSweep::new(body, motion).unwrap();
            let hero = Capsule::new(center, center + Vec3::Y, 0.3).unwrap();
            let capsule = CapsuleSweep::new(hero, motion).unwrap();
            let options = SlideOptions::default();
            for is_box in [true, false] {
                let [whole, single] = pair.each(|world| {
                    if is_box {
                        world.slide(&sweep, &Filter::ALL, &options)
                    } else {
                        world.slide(&capsule, &Filter::ALL, &options)
                    }
                });
                assert_eq!(whole.position, single.position);
                let told: Vec<_> =
                    whole.contacts.iter().map(|met| (pair.key((met.target, met.part)), met.normal)).collect();
                assert_eq!(told, single.contacts.iter().map(|met| (met.target, met.normal)).collect::<Vec<_>>());
                contacts += told.len();
            }
            let [whole, single] = pair.each(|world| world.depenetrate(&body, &Filter::ALL));
            assert_eq!(whole, single);
            let [whole, single] = pair.each(|world| world.depenetrate(&hero, &Filter::ALL));
            assert_eq!(whole, single);
        }
    });
    assert!(contacts > 800, "{contacts}");
}

#[test]
fn steps_over_a_compound_are_those_over_its_children() {
    each_pair(2, |pair, rng, middle| {
        let response = Response::Bounce { restitution: 0.2, friction: 0.6 };
        let [mut whole_boxes, mut single_boxes] = [BoxStepper::new(), BoxStepper::new()];
        let mut bodies = vec![];
        for i in 0..20u8 {
            let at = middle + Vec3::new(2.0 * f32::from(i % 5) - 4.0, 9.0 + f32::from(i), 2.0 * f32::from(i / 5) - 4.0);
            let crate_ = Obb::new(at, Quat::from_rotation_x(f32::from(i)), Vec3::splat(0.25)).unwrap();
            let body = BoxBody { velocity: vector(rng, 2.0), response, ..BoxBody::default() };
            let worlds = [(&mut pair.compound, &mut whole_boxes), (&mut pair.children, &mut single_boxes)];
            bodies.push(worlds.map(|(world, boxes)| {
                let key = world.insert(Object::moving(crate_));
                boxes.insert(world, key, body).unwrap();
                key
            }));
        }
        let mut met = 0;
        for step in 0..180 {
            let config = BoxStepConfig::default();
            met += whole_boxes.step(&mut pair.compound, 1.0 / 60.0, &config).unwrap().begun.len();
            single_boxes.step(&mut pair.children, 1.0 / 60.0, &config).unwrap();
            for [whole, single] in &bodies {
                let [whole, single] = [pair.compound.object(*whole), pair.children.object(*single)];
                assert_eq!(
                    whole.map(|object| &object.get().shape),
                    single.map(|object| &object.get().shape),
                    "step {step}"
                );
            }
        }
        assert!(met > 20, "{met}");
    });
}

#[test]
fn a_character_climbs_the_stairs_of_a_compound_and_is_carried_by_it() {
    let stair =
        |i: u8| Aabb::new(Vec3::new(f32::from(i), -1.0, -4.0), Vec3::new(9.0, 0.25 * f32::from(i), 4.0)).unwrap();
    let stairs = Compound::new((0..8).map(|i| stair(i).into())).unwrap();
    let pair = &mut Pair::new(&PlacedCompound::new(&stairs, Quat::IDENTITY, Vec3::new(0.0, 2.0, 0.0)).unwrap());
    let [mut whole, mut single] = [Character::new(Capsule::new(Vec3::Y * 2.5, Vec3::Y * 3.5, 0.3).unwrap()); 2];
    for _ in 0..120 {
        for (world, hero) in [(&pair.compound, &mut whole), (&pair.children, &mut single)] {
            hero.velocity = Vec3::X * 3.0;
            Mover::default().walk(world, hero, 1.0 / 60.0, &Filter::ALL).unwrap();
        }
        assert_eq!(whole.body, single.body);
    }
    let before = whole.position();
    assert!(before.x > 5.0 && before.y > 3.0, "{before}");
    // It is carried by the compound on which it stands.
    let lift = PlacedCompound::new(&stairs, Quat::IDENTITY, Vec3::new(0.0, 2.5, 0.25)).unwrap();
    pair.compound.object_mut(pair.whole).unwrap().set_shape(lift);
    whole.velocity = Vec3::ZERO;
    Mover::default().walk(&pair.compound, &mut whole, 1.0 / 60.0, &Filter::ALL).unwrap();
    assert!((whole.position() - before - Vec3::new(0.0, 0.5, 0.25)).length() < 1e-3, "{}", whole.position());
}

#[test]
fn planes_and_frusta_tell_a_compound_from_its_box() {
    let (mut sides, mut hidden) = ([0; 3], 0);
    each_pair(8, |pair, rng, middle| {
        for _ in 0..60 {
            let plane = Plane::from_point_normal(middle + vector(rng, 12.0), vector(rng, 1.0)).unwrap();
            let mut each = vec![];
            pair.children.for_each_side(&plane, &Filter::ALL, |_, _, side| each.push(side));
            let expected = if each.iter().all(|side| *side == each[0]) { each[0] } else { Side::Straddling };
            pair.compound.for_each_side(&plane, &Filter::ALL, |_, _, side| assert_eq!(side, expected));
            sides[expected as usize % 3] += 1;

            let position = middle + vector(rng, 20.0);
            let camera = Camera { position, forward: vector(rng, 1.0), ..Camera::default() };
            let frustum = Frustum::from_camera(&camera).unwrap();
            let [whole, single] = pair.each(|world| {
                let mut visible = vec![];
                world.for_each_visible(&frustum, &Filter::ALL, |_, _, seen| visible.push(seen));
                visible
            });
            assert_eq!(whole.is_empty(), single.is_empty());
            if whole == [Containment::Inside] {
                assert!(single.len() == pair.keys.len() && single.iter().all(|seen| *seen == Containment::Inside));
            }
            hidden += usize::from(whole.is_empty());
        }
    });
    assert!(sides.iter().all(|count| *count > 50) && hidden > 200, "{sides:?} {hidden}");
}

#[test]
fn parts_of_meshes_and_terrains_are_parts_of_their_compound() {
    let mut rng = Rng::with_seed(SEED);
    let vertices: Vec<Vec3> = (0..40).map(|_| vector(&mut rng, 6.0)).collect();
    let triangles: Vec<[u32; 3]> = (0..50).map(|_| [(); 3].map(|()| rng.u32(0..40))).collect();
    let surfaces: Vec<u16> = (100..150).collect();
    let mesh = Mesh::new(&vertices, &triangles).unwrap().with_surfaces(&surfaces).unwrap().with_sides(Sides::Front);
    let mesh = PlacedMesh::new(&mesh, rotation(&mut rng), Vec3::X * 3.0, Vec3::new(-1.0, 0.5, 2.0)).unwrap();
    let heights: Vec<f32> = (0..36).map(|_| rng.f32()).collect();
    let terrain = Terrain::new(6, 6, &heights, Vec2::splat(2.0), Vec2::splat(-5.0)).unwrap();
    let children = [shape(&mut rng, 2), mesh.into(), shape(&mut rng, 5), terrain.into(), shape(&mut rng, 0)];
    let compound = Compound::new(children).unwrap().with_surfaces(&[1, 2, 3, 4, 5]).unwrap();
    assert_eq!(
        [0, 1, 50, 51, 52, 101, 102].map(|part| compound.child_of(part)),
        [Some((0, 0)), Some((1, 0)), Some((1, 49)), Some((2, 0)), Some((3, 0)), Some((3, 49)), Some((4, 0))]
    );
    assert_eq!(compound.child_of(103), None);
    let (mut hits, mut of_triangles) = (0, 0);
    for placed in placements(&mut rng, &compound) {
        let (pair, middle) = (Pair::new(&placed), placed.aabb().center());
        let child = |(target, part): (Target, u32)| {
            let (child, part) = compound.child_of(part).unwrap();
            assert_eq!(target, pair.whole.into());
            (Target::from(pair.keys[child as usize]), part)
        };
        for _ in 0..400 {
            let (from, to) = (middle + vector(&mut rng, 12.0), middle + vector(&mut rng, 5.0));
            let ray = Ray::new(from, to - from).unwrap();
            let [whole, single] = pair.each(|world| {
                let mut hits = vec![];
                world.cast_ray_all(&ray, f32::INFINITY, &Filter::ALL, &mut hits);
                hits
            });
            let surface = |target: Target, surface: u16| {
                let own = pair.keys.iter().position(|key| target == (*key).into()).unwrap();
                if [1, 3].contains(&own) { surface } else { own as u16 + 1 }
            };
            let told: Vec<_> =
                whole.iter().map(|hit| (child((hit.target, hit.part)), hit.distance, hit.surface)).collect();
            let expected =
                single.iter().map(|hit| ((hit.target, hit.part), hit.distance, surface(hit.target, hit.surface)));
            assert_eq!(told, expected.collect::<Vec<_>>());
            hits += told.len();
            of_triangles += told.iter().filter(|(_, _, surface)| *surface >= 100).count();
            let body = Obb::new(from, rotation(&mut rng), Vec3::new(0.2, 0.3, 0.1)).unwrap();
            let sweep = BoxSweep::new(body, to - from).unwrap();
            let [whole, single] = pair.each(|world| world.sweep(&sweep, &Filter::ALL));
            assert_eq!(whole.position, single.position);
            let told = whole.hit.map(|hit| (child((hit.target, hit.part)), hit.toi, hit.normal, hit.surface));
            let expected =
                single.hit.map(|hit| ((hit.target, hit.part), hit.toi, hit.normal, surface(hit.target, hit.surface)));
            assert_eq!(told, expected);
            let [whole, single] = pair.each(|world| {
                let mut near = vec![];
                world.nearest(from, f32::INFINITY, 1, &Filter::ALL, &mut near);
                (near[0].distance, near[0].point)
            });
            assert_eq!(whole, single);
        }
    }
    assert!(hits > 2000 && of_triangles > 500, "{hits} {of_triangles}");
}

#[test]
fn a_compound_that_moves_carries_and_pairs() {
    let crate_ = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0)).unwrap();
    let cart = Compound::new([crate_(0.0).into(), crate_(4.0).into()]).unwrap();
    let mut world = World::new();
    let key = world.insert(Object::moving(&cart));
    let ball = world.insert(Object::moving(Sphere::new(Vec3::new(10.5, 0.5, 0.5), 0.25).unwrap()));
    assert!(world.update_pairs(0.0).begun.is_empty());
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::X * 6.0).unwrap();
    assert_eq!(world.update_pairs(0.0).begun.len(), 1);
    assert_eq!(world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, Vec3::X * 6.0)));
    let mut near = vec![];
    world.overlap(&Sphere::new(Vec3::new(8.5, 0.5, 0.5), 0.25).unwrap(), &Filter::ALL, &mut near);
    assert!(near.is_empty(), "between the crates");
    world.overlap(&Sphere::new(Vec3::new(10.5, 0.5, 0.5), 0.25).unwrap(), &Filter::ALL, &mut near);
    assert_eq!(near, [key.into(), ball.into()]);
}

#[test]
fn a_compound_is_saved_hashed_and_drawn() {
    let mut rng = Rng::with_seed(SEED);
    let compound = compound(&mut rng, 16).with_surfaces(&[7; 16]).unwrap();
    let placed = PlacedCompound::new(&compound, rotation(&mut rng), Vec3::Y).unwrap();
    let mut world = World::new();
    let key = world.insert(Object::fixed(placed.clone()));
    let saved = serde_json::to_string(&world.snapshot()).unwrap();
    let restored = World::restore(&serde_json::from_str(&saved).unwrap()).unwrap();
    assert_eq!((restored.hash(), restored.object(key)), (world.hash(), world.object(key)));
    let own: PlacedCompound = serde_json::from_str(&serde_json::to_string(&placed).unwrap()).unwrap();
    assert_eq!(own, placed);
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::X).unwrap();
    assert_ne!(restored.hash(), world.hash());
    let mut pair = Pair::new(&placed);
    let [whole, single] = pair.each(|world| {
        let mut lines = vec![];
        world.debug_draw(&DrawOptions::default(), &Filter::ALL, |line| lines.push(line));
        lines
    });
    assert_eq!(whole, single);
    let other = compound.clone().with_surfaces(&[8; 16]).unwrap();
    let hash = pair.compound.hash();
    pair.compound
        .object_mut(pair.whole)
        .unwrap()
        .set_shape(PlacedCompound::new(&other, Quat::IDENTITY, Vec3::ZERO).unwrap());
    assert_ne!(hash, pair.compound.hash());
}

#[test]
fn what_cannot_be_a_compound_is_refused() {
    assert_eq!(Compound::new([]), Err(CompoundError::Empty));
    let ball = Compound::new([Sphere::new(Vec3::ZERO, 1.0).unwrap().into()]).unwrap();
    assert_eq!(ball.clone().with_surfaces(&[]), Err(CompoundError::SurfaceCount { surfaces: 0, children: 1 }));
    for (rotation, translation) in [
        (Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO),
        (Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0), Vec3::ZERO),
        (Quat::IDENTITY, Vec3::new(0.0, f32::INFINITY, 0.0)),
        (Quat::IDENTITY, Vec3::splat(1e30)),
    ] {
        assert!(PlacedCompound::new(&ball, rotation, translation).is_err());
    }
    // A brush given by planes, which would be flat there.
    let thin = Brush::from_half_spaces(&[
        (DVec3::X, 1e-6),
        (-DVec3::X, 1e-6),
        (DVec3::Y, 1.0),
        (-DVec3::Y, 1.0),
        (DVec3::Z, 1.0),
        (-DVec3::Z, 1.0),
    ]);
    let thin = Compound::new([thin.unwrap().into()]).unwrap();
    assert!(PlacedCompound::new(&thin, Quat::IDENTITY, Vec3::splat(1e8)).is_err());
}
