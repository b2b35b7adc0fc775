//! A scaled compound answers as its children would, each scaled on its own.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, CompoundError, Filter, Mesh, Object, PlacedCompound, PlacedMesh, Shape, Target, Terrain, World,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Brush, Capsule, CapsuleSweep, Error, Hull, Obb, Patch, Ray, Sides, Sphere, SphereSweep,
        Triangle,
    },
};
use std::borrow::Cow;

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn rotation(rng: &mut Rng) -> Quat {
    let mut any = || 2.0 * rng.f32() - 1.0;
    Quat::from_xyzw(any(), any(), any(), any())
}

fn mesh(rng: &mut Rng) -> Mesh {
    let vertices: Vec<Vec3> = (0..30).map(|_| vector(rng, 8.0)).collect();
    let triangles: Vec<[u32; 3]> = (0..40).map(|_| [(); 3].map(|()| rng.u32(0..30))).collect();
    Mesh::new(&vertices, &triangles).unwrap().with_sides(if rng.bool() { Sides::Front } else { Sides::Both })
}

/// A shape of the given kind, somewhere within ten of the origin; only kinds 0 and 1 are round.
fn shape(rng: &mut Rng, kind: usize) -> Shape {
    let (center, size) = (vector(rng, 8.0), vector(rng, 1.5).abs() + 0.1);
    let obb = Obb::new(center, rotation(rng), size).unwrap();
    match kind {
        0 => Sphere::new(center, size.x).unwrap().into(),
        1 => Capsule::new(center, center + size, 0.5 * size.y).unwrap().into(),
        2 => Aabb::new(center - size, center + size).unwrap().into(),
        3 => obb.into(),
        4 => Hull::new(&[0; 12].map(|_| center + vector(rng, 1.5))).unwrap().into(),
        5 => Brush::try_from(&obb).unwrap().into(),
        6 => Patch::new(&[0, 1, 3, 2].map(|corner| obb.corners()[corner])).unwrap().into(),
        7 => Triangle::new(center, center + vector(rng, 2.0), center + vector(rng, 2.0)).unwrap().into(),
        8 => mesh(rng).into(),
        // Rotated, and scaled itself: as a part of the compound its axes may be skewed.
        _ => {
            let mesh = mesh(rng);
            PlacedMesh::new(&mesh, rotation(rng), center, Vec3::new(0.5, 1.0, -1.5)).unwrap().into()
        }
    }
}

/// Scales that shapes of all kinds accept, and scales that round ones do not.
const ALIKE: [Vec3; 3] = [Vec3::splat(2.0), Vec3::new(-0.3, 0.3, 0.3), Vec3::splat(-1.0)];
const UNLIKE: [Vec3; 3] = [Vec3::new(1.0, 3.0, 0.5), Vec3::new(-1.0, 0.7, 1.1), Vec3::new(0.01, 1.0, 40.0)];

/// Placed compounds of such children: first with round ones and uniform scales, then without.
fn each_scaled(rounds: usize, mut visit: impl FnMut(&PlacedCompound, &mut Rng, f32)) {
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..rounds {
        for (first, scales) in [(0, ALIKE), (2, UNLIKE)] {
            let children = (0..40).map(|i| shape(&mut rng, first + i % (10 - first)));
            let compound = Compound::new(children.collect::<Vec<_>>()).unwrap();
            for scale in scales {
                let (turn, shift) = (rotation(&mut rng), vector(&mut rng, 50.0));
                let placed = PlacedCompound::scaled(&compound, turn, shift, scale).unwrap();
                visit(&placed, &mut rng, scale.abs().max_element());
            }
        }
    }
}

#[test]
fn it_answers_as_its_children_where_they_are_placed() {
    let mut counts = [0; 4];
    each_scaled(4, |placed, rng, size| {
        let (mut whole, mut single) = (World::new(), World::new());
        let key = whole.insert(Object::fixed(placed.clone()));
        let far: Shape = Sphere::new(Vec3::splat(1e8), 0.0).unwrap().into();
        let count = placed.compound().len() as u32;
        let all = (0..count).map(|number| placed.child(number).map_or_else(|| far.clone(), Cow::into_owned));
        let keys: Vec<_> = all.map(|child| single.insert(Object::fixed(child))).collect();
        let child = |(target, part): (Target, u32)| {
            let (child, part) = placed.compound().child_of(part).unwrap();
            assert_eq!(target, key.into());
            (Target::from(keys[child as usize]), part)
        };
        let middle = placed.aabb().center();
        for _ in 0..100 {
            let (from, to) = (middle + vector(rng, 12.0 * size), middle + vector(rng, 6.0 * size));
            let ray = Ray::new(from, to - from).unwrap();
            let [a, b] = [&whole, &single].map(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
            assert_eq!(
                a.map(|hit| (child((hit.target, hit.part)), hit.distance, hit.point, hit.normal)),
                b.map(|hit| ((hit.target, hit.part), hit.distance, hit.point, hit.normal))
            );
            counts[0] += usize::from(a.is_some());

            let body = Obb::new(from, rotation(rng), size * vector(rng, 0.5).abs()).unwrap();
            let ball = Sphere::new(from, size * 0.4 * rng.f32()).unwrap();
            let hero = Capsule::new(from, from + size * vector(rng, 1.0), size * 0.3 * rng.f32()).unwrap();
            for body_kind in 0..3 {
                let [a, b] = [&whole, &single].map(|world| match body_kind {
                    0 => world.sweep(&BoxSweep::new(body, to - from).unwrap(), &Filter::ALL),
                    1 => world.sweep(&SphereSweep::new(ball, to - from).unwrap(), &Filter::ALL),
                    _ => world.sweep(&CapsuleSweep::new(hero, to - from).unwrap(), &Filter::ALL),
                });
                assert_eq!(a.position, b.position);
                assert_eq!(
                    a.hit.map(|hit| (child((hit.target, hit.part)), hit.toi, hit.normal, hit.contacts)),
                    b.hit.map(|hit| ((hit.target, hit.part), hit.toi, hit.normal, hit.contacts))
                );
                assert_eq!(a.overlap.map(|met| (met.depth, met.normal)), b.overlap.map(|met| (met.depth, met.normal)));
                counts[1] += usize::from(a.hit.is_some());
            }
            let [a, b] = [&whole, &single].map(|world| {
                let mut near = vec![];
                world.overlap(&body, &Filter::ALL, &mut near);
                let box_touches = !near.is_empty();
                near.clear();
                world.overlap(&hero, &Filter::ALL, &mut near);
                (box_touches, !near.is_empty())
            });
            assert_eq!(a, b);
            counts[2] += usize::from(a.0);
            let [a, b] = [&whole, &single].map(|world| {
                let mut near = vec![];
                world.nearest(from, f32::INFINITY, 1, &Filter::ALL, &mut near);
                near[0]
            });
            let told = (child((a.target, a.part)), a.distance, a.point);
            assert_eq!(told, ((b.target, b.part), b.distance, b.point));
            counts[3] += usize::from(a.distance > 0.0);
        }
    });
    assert!(counts[0] > 800 && counts[1] > 1500 && counts[2] > 200 && counts[3] > 500, "{counts:?}");
}

#[test]
fn children_are_those_that_were_scaled_one_by_one() {
    let mut rng = Rng::with_seed(SEED);
    for (round, &scale) in ALIKE.iter().chain(&UNLIKE).enumerate() {
        let shift = vector(&mut rng, 50.0);
        let vector_of = |v: Vec3| v.as_dvec3() * scale.as_dvec3();
        let point = |p: Vec3| (vector_of(p) + shift.as_dvec3()).as_vec3();
        let children = (2..9)
            .map(|kind| shape(&mut rng, kind))
            .chain((round < ALIKE.len()).then(|| Sphere::new(Vec3::X, 3.0).unwrap().into()));
        let compound = Compound::new(children.collect::<Vec<_>>()).unwrap();
        let placed = PlacedCompound::scaled(&compound, Quat::IDENTITY, shift, scale).unwrap();
        for (number, given) in (0..).zip(compound.children()) {
            let expected: Shape = match given {
                Shape::Aabb(shape) => {
                    let (min, max) = (shape.min().as_dvec3(), shape.max().as_dvec3());
                    let center = (0.5 * (min + max) * scale.as_dvec3() + shift.as_dvec3()).as_vec3();
                    let half = (0.5 * (max - min) * scale.as_dvec3()).as_vec3();
                    Obb::from_half_edges(center, [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * half)).unwrap().into()
                }
                Shape::Obb(shape) => {
                    let edges = shape.half_edges().map(|edge| vector_of(edge).as_vec3());
                    Obb::from_half_edges(point(shape.center()), edges).unwrap().into()
                }
                Shape::Sphere(shape) => {
                    Sphere::new(point(shape.center()), shape.radius() * scale.x.abs()).unwrap().into()
                }
                Shape::Brush(brush) => match brush.points() {
                    Some(points) => Hull::new(&points.map(point).collect::<Vec<_>>()).unwrap().into(),
                    None => {
                        // The corners are where the scale moves them.
                        let Some(Cow::Borrowed(Shape::Brush(found))) = placed.child(number) else { panic!("a brush") };
                        assert_eq!((found.faces().len(), found.vertices().len()), (6, 8));
                        for vertex in brush.vertices() {
                            let there = *vertex * scale.as_dvec3() + shift.as_dvec3();
                            let is_there = |other: &&DVec3| other.distance(there) < 1e-9 * there.length();
                            assert_eq!(found.vertices().iter().filter(is_there).count(), 1);
                        }
                        continue;
                    }
                },
                Shape::Patch(patch) => {
                    let mut points: Vec<Vec3> = patch.points().iter().map(|&p| point(p)).collect();
                    if scale.x * scale.y * scale.z < 0.0 {
                        points.reverse();
                    }
                    Patch::new(&points).unwrap().into()
                }
                Shape::Triangle(triangle) => {
                    let [a, b, c] = triangle.points().map(point);
                    let is_mirrored = scale.x * scale.y * scale.z < 0.0;
                    let [b, c] = if is_mirrored { [c, b] } else { [b, c] };
                    Triangle::new(a, b, c).unwrap().into()
                }
                Shape::Mesh(mesh) => PlacedMesh::new(mesh.mesh(), Quat::IDENTITY, shift, scale).unwrap().into(),
                other => panic!("{other:?} is not among the kinds"),
            };
            assert_eq!(*placed.child(number).unwrap(), expected);
        }
    }
}

#[test]
fn what_does_not_take_a_scale_is_named() {
    let ball = Shape::from(Sphere::new(Vec3::X, 1.0).unwrap());
    let hero = Shape::from(Capsule::new(Vec3::X, Vec3::Y, 1.0).unwrap());
    let block = Shape::from(Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap());
    let terrain = Shape::from(Terrain::new(2, 2, &[0.0; 4], Vec2::ONE, Vec2::ZERO).unwrap());
    let scaled = |child: &Shape, scale: Vec3| {
        let compound = Compound::new([block.clone(), child.clone()]).unwrap();
        PlacedCompound::scaled(&compound, Quat::IDENTITY, Vec3::ZERO, scale)
    };
    let unlike = Vec3::new(1.0, 1.0f32.next_up(), 1.0);
    for round in [&ball, &hero] {
        assert_eq!(scaled(round, unlike), Err(CompoundError::Scale { child: 1 }));
        assert!(scaled(round, Vec3::splat(1.5)).is_ok() && scaled(round, Vec3::new(1.5, -1.5, 1.5)).is_ok());
    }
    for scale in [Vec3::splat(2.0), unlike, Vec3::splat(-1.0)] {
        assert_eq!(scaled(&terrain, scale), Err(CompoundError::Scale { child: 1 }));
    }
    assert!(scaled(&terrain, Vec3::ONE).is_ok());
    let message = CompoundError::Scale { child: 1 }.to_string();
    assert!(message.starts_with("child 1 does not take the scale: give"), "{message}");
    for (scale, error) in [
        (Vec3::new(1.0, 0.0, 1.0), Error::OutOfRange { field: "scale" }),
        (Vec3::splat(1e-9), Error::OutOfRange { field: "scale" }),
        (Vec3::splat(f32::NAN), Error::NonFinite { field: "scale" }),
    ] {
        assert_eq!(scaled(&block, scale), Err(CompoundError::Place(error)));
    }
}

#[test]
fn a_scale_of_one_is_none() {
    let mut rng = Rng::with_seed(SEED);
    let compound = Compound::new((0..9).map(|kind| shape(&mut rng, kind)).collect::<Vec<_>>()).unwrap();
    let (turn, shift) = (rotation(&mut rng), vector(&mut rng, 50.0));
    let scaled = PlacedCompound::scaled(&compound, turn, shift, Vec3::ONE).unwrap();
    assert_eq!(scaled, PlacedCompound::new(&compound, turn, shift).unwrap());
}

#[test]
fn it_is_saved_moved_and_told_where_it_is() {
    each_scaled(2, |placed, rng, _| {
        let mut world = World::new();
        let key = world.insert(Object::moving(placed.clone()));
        let saved = serde_json::to_string(&world.snapshot()).unwrap();
        let mut restored = World::restore(&serde_json::from_str(&saved).unwrap()).unwrap();
        assert_eq!((restored.hash(), restored.object(key)), (world.hash(), world.object(key)));
        let (turn, shift) = (rotation(rng).normalize(), vector(rng, 20.0));
        for world in [&mut world, &mut restored] {
            world.object_mut(key).unwrap().set_transform(turn, shift).unwrap();
            let (told, origin) = world.object(key).unwrap().transform();
            assert!(origin.distance(shift) < 1e-4 && told.dot(turn).abs() > 0.999_99, "{told} {turn}");
        }
        assert_eq!(restored.hash(), world.hash());
        // Transforming it from where it is gives the same as transforming the original.
        let again = Shape::from(placed.clone()).transformed(turn, shift).unwrap();
        assert_eq!(world.object(key).unwrap().shape, again);
    });
}
