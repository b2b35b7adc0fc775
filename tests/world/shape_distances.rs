//! How far shapes are from each other and from the world, compared with all pairs of parts one by one.

use cullide_oracle::convex as exact;
use cullide_scenes::{
    Rng, SEED,
    convex::{ConvexPair, convex_pair},
};
use cullide_world::{
    Compound, Filter, Mesh, Mobility, NearShape, Object, ObjectKey, PlacedCompound, PlacedMesh, PlacedTerrain, Shape,
    ShapeDistance, Target, Terrain, World, WorldPlane,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, Capsule, Convex, ConvexCore, Cylinder, Distance, Hull, Obb, Patch, Plane, Sides, Sphere, Triangle,
    },
};

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

fn hull(rng: &mut Rng, center: Vec3, size: f32) -> Hull {
    let count = rng.usize(4..20);
    let points: Vec<Vec3> = (0..count).map(|_| center + vector(rng, size)).collect();
    Hull::new(&points).unwrap()
}

/// Bumps, some of them holes.
fn hills(rng: &mut Rng) -> Terrain {
    let heights: Vec<f32> = (0..9 * 7).map(|_| rng.f32()).collect();
    let mut hills = Terrain::new(9, 7, &heights, Vec2::new(0.4, 0.6), Vec2::splat(-1.8)).unwrap();
    hills.dig(2..4, 1..3).unwrap();
    hills
}

/// A closed surface with a triangle that has no area.
fn rock(rng: &mut Rng) -> Mesh {
    let (rings, around) = (7u32, 9u32);
    let mut points = vec![];
    for i in 0..rings * around {
        let (up, side) = ((i / around) as f32 / (rings - 1) as f32 * 3.1, (i % around) as f32 / around as f32 * 6.3);
        let radius = 0.8 + 0.4 * rng.f32();
        points.push(radius * Vec3::new(up.sin() * side.cos(), up.cos(), up.sin() * side.sin()));
    }
    let at = |ring: u32, i: u32| ring * around + i % around;
    let cells = (0..rings - 1).flat_map(|ring| (0..around).map(move |i| (ring, i)));
    let faces = cells
        .flat_map(|(r, i)| [[at(r, i), at(r + 1, i), at(r + 1, i + 1)], [at(r, i), at(r + 1, i + 1), at(r, i + 1)]]);
    let faces: Vec<[u32; 3]> = std::iter::once([0, 0, 1]).chain(faces).collect();
    let surfaces: Vec<u16> = (0..faces.len() as u16).map(|i| 100 + i).collect();
    Mesh::new(&points, &faces).unwrap().with_surfaces(&surfaces).unwrap()
}

const KINDS: usize = 11;

/// A shape of each kind; sometimes at integers, so that distances are equal and touches abound.
fn shape(rng: &mut Rng, kind: usize, room: f32) -> Shape {
    let is_round = rng.usize(..4) == 0;
    let center = if is_round { vector(rng, room).round() } else { vector(rng, room) };
    let rotation = if is_round { Quat::IDENTITY } else { turn(rng) };
    let half = if is_round { Vec3::ONE } else { Vec3::new(0.2, 0.5, 0.9) + vector(rng, 0.1) };
    match kind % KINDS {
        0 => Aabb::from_center_half_extents(center, half).unwrap().into(),
        1 => Obb::new(center, rotation, half).unwrap().into(),
        2 => Sphere::new(center, 0.5).unwrap().into(),
        3 => Capsule::from_half_axis(center, rotation * Vec3::Y, 0.5).unwrap().into(),
        4 => hull(rng, center, 1.0).into(),
        5 => Patch::new(&[Vec3::NEG_X, Vec3::Z, Vec3::X * 2.0, Vec3::NEG_Z].map(|p| center + rotation * p))
            .map_or_else(|_| Shape::from(Sphere::new(center, 0.25).unwrap()), Shape::from),
        6 => Triangle::new(center, center + rotation * Vec3::X, center + rotation * Vec3::Y).unwrap().into(),
        7 => {
            let scale = if is_round { Vec3::ONE } else { Vec3::new(1.0, -1.5, 0.3) };
            PlacedMesh::new(&rock(rng), rotation, center, scale).unwrap().into()
        }
        8 => PlacedTerrain::new(&hills(rng), rotation, center).unwrap().into(),
        9 => Cylinder::from_half_axis(center, rotation * Vec3::Y, [0.5, half.x]).unwrap().into(),
        _ => {
            let mut children: Vec<Shape> = (0..7).map(|kind| shape(rng, kind, 1.5)).collect();
            let (mesh, terrain) = (rock(rng), hills(rng));
            children.push(PlacedMesh::new(&mesh, turn(rng), vector(rng, 1.0), Vec3::splat(0.5)).unwrap().into());
            children.push(PlacedTerrain::new(&terrain, turn(rng), vector(rng, 1.0)).unwrap().into());
            children.extend((0..20).map(|_| Shape::from(Sphere::new(vector(rng, 2.0), 0.1).unwrap())));
            let surfaces: Vec<u16> = (0..children.len() as u16).collect();
            let compound = Compound::new(children).unwrap().with_surfaces(&surfaces).unwrap();
            PlacedCompound::new(&compound, rotation, center).unwrap().into()
        }
    }
}

/// A convex shape as distances take it; `None` for any other.
fn core(shape: &Shape) -> Option<ConvexCore> {
    let convex = match shape {
        Shape::Aabb(shape) => Convex::from(*shape),
        Shape::Obb(shape) => Convex::from(*shape),
        Shape::Sphere(shape) => Convex::from(*shape),
        Shape::Capsule(shape) => Convex::from(*shape),
        Shape::Cylinder(shape) => Convex::from(*shape),
        Shape::Brush(shape) => Convex::from(&**shape),
        Shape::Patch(shape) => Convex::from(&**shape),
        Shape::Triangle(shape) => Convex::from(*shape),
        _ => return None,
    };
    Some(convex.core())
}

/// A part: its number, its surface, and what it is.
type Part = (u32, u16, ConvexCore);

/// All parts of a shape that have an area.
fn parts(shape: &Shape) -> Vec<Part> {
    let triangle = |triangle: Triangle| Convex::from(triangle).core();
    match shape {
        Shape::Mesh(mesh) => (0..mesh.mesh().len() as u32)
            .filter_map(|i| Some((i, mesh.mesh().surface(i)?, triangle(mesh.triangle(i)?))))
            .collect(),
        Shape::Terrain(terrain) => {
            (0..terrain.terrain().len() as u32).filter_map(|i| Some((i, 0, triangle(terrain.triangle(i)?)))).collect()
        }
        Shape::Compound(compound) => {
            let numbers = (0..u32::MAX).map_while(|part| Some((part, compound.compound().child_of(part)?)));
            let mut all = vec![];
            let mut last: Option<(u32, Vec<Part>)> = None;
            for (part, (child, own)) in numbers {
                if last.as_ref().is_none_or(|(other, _)| *other != child) {
                    last = compound.child(child).map(|shape| (child, parts(&shape)));
                }
                let Some((_, inner)) = &last else { continue };
                if let Some((_, surface, core)) = inner.iter().find(|(number, ..)| *number == own) {
                    let is_composite = core_count(compound.compound(), child) > 1;
                    let given = compound.compound().surface(child).unwrap();
                    all.push((part, if is_composite { *surface } else { given }, core.clone()));
                }
            }
            all
        }
        convex => vec![(0, 0, core(convex).unwrap())],
    }
}

fn core_count(compound: &Compound, child: u32) -> usize {
    match &compound.children()[child as usize] {
        Shape::Mesh(mesh) => mesh.mesh().len(),
        Shape::Terrain(terrain) => terrain.terrain().len(),
        _ => 1,
    }
}

/// The least of all pairs of parts, with ties broken by the parts' numbers.
fn by_all(a: &[Part], b: &[Part]) -> Option<ShapeDistance> {
    let mut best: Option<ShapeDistance> = None;
    for (part, surface, core) in a {
        for (other_part, other_surface, other) in b {
            let Distance { separation, normal, points, .. } = core.distance(other);
            if best.is_none_or(|best| separation < best.separation) {
                let (parts, surfaces) = ([*part, *other_part], [*surface, *other_surface]);
                best = Some(ShapeDistance { separation: separation + 0.0, normal, points, parts, surfaces });
            }
        }
    }
    best
}

#[test]
fn the_distance_of_two_shapes_is_the_least_of_all_pairs_of_parts_bit_for_bit() {
    let mut rng = Rng::with_seed(SEED ^ 56);
    let (mut deep, mut apart, mut of_parts) = (0, 0, 0);
    for case in 0..500 {
        let (kind, other) = (case % KINDS, case / KINDS % KINDS);
        let room = [0.5, 2.0, 6.0][rng.usize(..3)];
        let (a, b) = (shape(&mut rng, kind, room), shape(&mut rng, other, room));
        let expected = by_all(&parts(&a), &parts(&b)).unwrap();
        assert_eq!(a.distance(&b), Some(expected), "case {case}: {a:?} {b:?}");
        *if expected.separation < 0.0 { &mut deep } else { &mut apart } += 1;
        of_parts += usize::from(expected.parts != [0, 0]);
    }
    assert!(deep > 100 && apart > 100 && of_parts > 150, "{deep} {apart} {of_parts}");
}

fn distance_to_plane(parts: &[Part], plane: &Plane, sides: Sides) -> ShapeDistance {
    let n = plane.normal().as_dvec3();
    let (n, d) = (n / n.length(), f64::from(plane.d()) / n.length());
    let toward = |core: &ConvexCore, n: DVec3, d: f64| {
        let point = core.support(-n);
        (n.dot(point) + d, n, point)
    };
    let each = parts.iter().map(|(part, surface, core)| {
        let (front, back) = (toward(core, n, d), toward(core, -n, -d));
        let nearest = if sides == Sides::Both && back.0 > front.0 { back } else { front };
        (nearest, *part, *surface)
    });
    let ((separation, normal, point), part, surface) = each.min_by(|a, b| a.0.0.total_cmp(&b.0.0)).unwrap();
    let points = [point, point - normal * separation];
    ShapeDistance { separation: separation + 0.0, normal, points, parts: [part, 0], surfaces: [surface, 0] }
}

/// A world of all kinds of shapes, fixed and moving, in four layers, and planes.
fn scene(rng: &mut Rng, count: usize, room: f32) -> World {
    let mut world = World::with_tag(1);
    for i in 0..count {
        let shape = shape(rng, i, room);
        let object = if rng.bool() { Object::fixed(shape) } else { Object::moving(shape) };
        world.insert(object.layers(1 << rng.usize(..4)));
    }
    if count > 1 {
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, room).unwrap()).layers(0b1));
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::new(0.6, 0.0, 0.8), room).unwrap()).layers(0b10));
        world.insert_plane(WorldPlane::wall(Plane::new(Vec3::new(-0.36, 0.48, 0.8), 0.5).unwrap()).layers(0b100));
    }
    world
}

/// Of all objects and planes in the layers, fixed or not, but not `without`, the nearest.
struct Question {
    max_distance: f32,
    count: usize,
    layers: u32,
    is_fixed_only: bool,
    without: Vec<ObjectKey>,
}

impl Question {
    fn any(rng: &mut Rng, world: &World) -> Self {
        Self {
            max_distance: [f32::INFINITY, f32::INFINITY, 3.0, 3.0, 0.5, 0.0, -1.0, f32::NAN][rng.usize(..8)],
            count: [1, 3, usize::MAX, usize::MAX, usize::MAX, 0][rng.usize(..6)],
            layers: [u32::MAX, u32::MAX, 0b11, 0b100][rng.usize(..4)],
            is_fixed_only: rng.bool(),
            without: world.objects().take(rng.usize(..3)).map(|(key, _)| key).collect(),
        }
    }

    fn filter(&self) -> Filter<'_> {
        let filter = Filter::layers(self.layers).without(&self.without);
        if self.is_fixed_only { filter.fixed_only() } else { filter }
    }

    fn by_all(&self, world: &World, shape: &Shape) -> Vec<NearShape> {
        let own = parts(shape);
        let objects = world.objects().filter(|(key, object)| {
            let is_fixed = object.mobility == Mobility::Fixed || !self.is_fixed_only;
            object.layers & self.layers != 0 && is_fixed && !self.without.contains(key)
        });
        let objects =
            objects.filter_map(|(key, object)| Some((Target::from(key), by_all(&own, &parts(&object.shape))?)));
        let planes = world.planes().filter(|(_, entry)| entry.layers & self.layers != 0);
        let planes = planes.map(|(key, entry)| (key.into(), distance_to_plane(&own, &entry.plane, entry.sides)));
        let near = objects.chain(planes).map(|(target, distance)| NearShape { target, distance });
        let is_in_reach =
            |near: &NearShape| self.max_distance >= 0.0 && near.distance.separation <= self.max_distance.into();
        let mut near: Vec<NearShape> = near.filter(is_in_reach).collect();
        near.sort_by(|a, b| a.distance.separation.total_cmp(&b.distance.separation).then(a.target.cmp(&b.target)));
        near.truncate(self.count);
        near
    }

    fn asked(&self, world: &World, shape: &Shape) -> Vec<NearShape> {
        let mut near = vec![];
        world.nearest(shape, self.max_distance, self.count, &self.filter(), &mut near);
        near
    }
}

#[test]
fn what_is_near_a_shape_is_the_start_of_all_sorted_by_distance_and_key() {
    let mut rng = Rng::with_seed(SEED ^ 57);
    let (mut found, mut nothing) = (0, 0);
    for case in 0..200 {
        let world = scene(&mut rng, [0, 1, 3, 12, 25][case % 5], 4.0);
        for _ in 0..2 {
            let shape = shape(&mut rng, case / 5, 5.0);
            let question = Question::any(&mut rng, &world);
            let expected = question.by_all(&world, &shape);
            assert_eq!(question.asked(&world, &shape), expected, "case {case}: {shape:?}");
            found += expected.len();
            nothing += usize::from(expected.is_empty());
        }
    }
    assert!(found > 350 && nothing > 50, "{found} {nothing}");
}

#[test]
fn batches_answer_as_one_by_one() {
    let mut rng = Rng::with_seed(SEED ^ 58);
    let world = scene(&mut rng, 40, 4.0);
    let shapes: Vec<Shape> = (0..100).map(|kind| shape(&mut rng, kind % 7, 5.0)).collect();
    let mut answers = vec![vec![]];
    world.nearest_batch(&shapes, 4.0, 3, &Filter::ALL, &mut answers);
    assert_eq!(answers.len(), 101);
    for (shape, answer) in shapes.iter().zip(&answers[1..]) {
        let mut near = vec![];
        world.nearest(shape, 4.0, 3, &Filter::ALL, &mut near);
        assert_eq!(&near, answer);
        assert!(!near.is_empty());
    }
}

/// A convex shape with these corners.
fn of_corners(points: &[[i64; 3]]) -> Option<Shape> {
    let corners: Vec<Vec3> = ConvexPair::as_f32(points).into_iter().map(Vec3::from).collect();
    match corners[..] {
        [a, b, c] => Triangle::new(a, b, c).ok().map(Shape::from),
        _ => Hull::new(&corners).ok().map(Shape::from),
    }
}

#[test]
fn distances_and_depths_of_pairs_aimed_at_each_other_are_exact_ones_rounded() {
    let mut rng = Rng::with_seed(SEED ^ 59);
    let (mut apart, mut deep, mut touching) = (0, 0, 0);
    for case in 0..400 {
        let pair = convex_pair(&mut rng);
        if pair.a.len().max(pair.b.len()) > 20 {
            continue;
        }
        let (Some(a), Some(b)) = (of_corners(&pair.a), of_corners(&pair.b)) else { continue };
        let far = pair.a.iter().chain(&pair.b).flatten().map(|x| x.abs()).max().unwrap() as f64;
        let found = a.distance(&b).unwrap();
        let (expected, count) = match exact::depth(&pair.a, &pair.b) {
            None => (exact::distance_squared(&pair.a, &pair.b).to_f64().sqrt(), &mut apart),
            Some(depth) if depth.squared.sign().is_eq() => (0.0, &mut touching),
            Some(depth) => (-depth.squared.to_f64().sqrt(), &mut deep),
        };
        *count += 1;
        assert!((found.separation - expected).abs() < 1e-12 * far, "case {case}: {found:?} {expected} {pair:?}");
        // Points of the two shapes, apart along the normal.
        let apart = found.points[0] - found.points[1];
        assert!((apart - found.normal * found.separation).length() < 1e-11 * far, "case {case}: {found:?}");
        for (point, shape) in found.points.iter().zip([&a, &b]) {
            let dot = Shape::from(Sphere::new(point.as_vec3(), 0.0).unwrap());
            assert!(dot.distance(shape).unwrap().separation < 1e-6 * far, "case {case}: {found:?}");
        }
        // The other way round it is the same.
        let back = b.distance(&a).unwrap();
        assert!((back.separation - found.separation).abs() < 1e-12 * far, "case {case}: {back:?}");
    }
    assert!(apart > 50 && deep > 20 && touching > 50, "{apart} {deep} {touching}");
}

#[test]
fn a_point_inside_any_solid_finds_the_shortest_way_out() {
    let mut rng = Rng::with_seed(SEED ^ 60);
    let (mut inside, mut outside) = (0, 0);
    for case in 0..3000 {
        let mut world = World::new();
        // Of a compound, a part that lies in others; of a surface, nothing is inside.
        let shape = shape(&mut rng, case, 0.5);
        let point = vector(&mut rng, if case % 2 == 0 { 0.6 } else { 2.0 });
        world.insert(Object::fixed(shape.clone()));
        let mut near = vec![];
        world.nearest(point, f32::INFINITY, 1, &Filter::ALL, &mut near);
        let near = near[0];
        assert!((near.normal.length() - 1.0).abs() < 1e-6, "case {case}: {near:?}");
        let (_, _, part) = parts(&shape).into_iter().find(|(part, ..)| *part == near.part).unwrap();
        let dot = Convex::from(Sphere::new(point, 0.0).unwrap()).core();
        if near.distance > 0.0 {
            outside += 1;
            assert_eq!(near.separation, near.distance, "case {case}");
            let way = point.as_dvec3() - near.point.as_dvec3();
            let off = (way - near.normal.as_dvec3() * f64::from(near.distance)).length();
            assert!(off < 1e-6 * (1.0 + way.length()), "case {case}: {near:?} {point} {shape:?}");
            continue;
        }
        inside += usize::from(near.separation < 0.0);
        assert_eq!((near.point, near.distance), (point, 0.0), "case {case}");
        // There it touches the surface, and by no direction it leaves earlier.
        let depth = -f64::from(near.separation);
        let out = dot.translated(near.normal * depth as f32).unwrap().distance(&part).separation;
        assert!(out.abs() < 1e-5, "case {case}: {near:?} {out} {shape:?}");
        for _ in 0..20 {
            let way = vector(&mut rng, 1.0).normalize();
            let earlier = dot.translated(way * depth as f32 * 0.999).unwrap().distance(&part).separation;
            assert!(earlier < 1e-5, "case {case}: {near:?} {way} {shape:?}");
        }
    }
    assert!(inside > 300 && outside > 1000, "{inside} {outside}");
}

#[test]
fn a_point_behind_a_plane_or_a_wall_finds_its_way_out() {
    let mut world = World::new();
    let floor = world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, -1.0).unwrap()).layers(0b1));
    let wall = world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, -2.0).unwrap()).layers(0b10));
    let near = |point: Vec3, layer: u32| {
        let mut near = vec![];
        world.nearest(point, f32::INFINITY, 9, &Filter::layers(layer), &mut near);
        assert_eq!((near.len(), near[0].target), (1, if layer == 1 { floor.into() } else { wall.into() }));
        (near[0].distance, near[0].separation, near[0].normal)
    };
    assert_eq!(near(Vec3::new(5.0, 4.0, 0.0), 0b1), (3.0, 3.0, Vec3::Y));
    assert_eq!(near(Vec3::new(5.0, -4.0, 0.0), 0b1), (0.0, -5.0, Vec3::Y));
    assert_eq!(near(Vec3::new(5.0, 1.0, 0.0), 0b1), (0.0, 0.0, Vec3::Y));
    assert_eq!(near(Vec3::X * 5.0, 0b10), (3.0, 3.0, Vec3::X));
    assert_eq!(near(Vec3::X * -5.0, 0b10), (7.0, 7.0, Vec3::NEG_X));
    assert_eq!(near(Vec3::X * 2.0, 0b10), (0.0, 0.0, Vec3::X));
}

#[test]
fn identical_empty_huge_and_tiny_shapes_have_a_distance_or_none() {
    let mut rng = Rng::with_seed(SEED ^ 61);
    for kind in 0..KINDS {
        let one = shape(&mut rng, kind, 1.0);
        let found = one.distance(&one).unwrap();
        assert!(found.separation <= 0.0 && (found.normal.length() - 1.0).abs() < 1e-9, "{one:?} {found:?}");
    }
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let flat = Shape::from(Mesh::new(&[Vec3::ZERO, Vec3::X], &[[0, 1, 1], [0, 0, 0]]).unwrap());
    let mut holes = Terrain::new(3, 3, &[0.0; 9], Vec2::ONE, Vec2::ZERO).unwrap();
    holes.dig(0..2, 0..2).unwrap();
    let holes = Shape::from(holes);
    let empty = Shape::from(Compound::new([flat.clone(), holes.clone()]).unwrap());
    for nothing in [&flat, &holes, &empty] {
        assert_eq!((ball.distance(nothing), nothing.distance(&ball), nothing.distance(nothing)), (None, None, None));
        let mut world = World::new();
        world.insert(Object::fixed(nothing.clone()));
        let mut near = vec![];
        world.nearest(&ball, f32::INFINITY, 9, &Filter::ALL, &mut near);
        world.insert(Object::fixed(ball.clone()));
        world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
        world.nearest(nothing, f32::INFINITY, 9, &Filter::ALL, &mut near);
        assert_eq!(near, []);
    }
    // As far apart, and as unlike in size, as shapes may be.
    let far = (1u32 << 28) as f32;
    let dots = [Vec3::splat(far), Vec3::splat(-far), Vec3::splat(f32::MIN_POSITIVE), Vec3::ZERO]
        .map(|at| Shape::from(Sphere::new(at, 0.0).unwrap()));
    let all = Shape::from(Aabb::new(Vec3::splat(-far), Vec3::splat(far)).unwrap());
    let wide = f64::from(far);
    assert_eq!(dots[0].distance(&dots[1]).unwrap().separation, (12.0 * wide * wide).sqrt());
    assert_eq!(dots[2].distance(&all).unwrap().separation, -wide);
    assert_eq!(dots[3].distance(&dots[3]).unwrap().separation, 0.0);
    let points = [Vec3::splat(1e30), Vec3::splat(f32::MAX), Vec3::NAN, Vec3::INFINITY];
    let mut world = World::new();
    world.insert(Object::fixed(ball));
    for (point, count) in points.into_iter().zip([1, 1, 0, 0]) {
        let mut near = vec![];
        world.nearest(point, f32::INFINITY, 9, &Filter::ALL, &mut near);
        assert_eq!(near.len(), count, "{point}");
        assert!(near.iter().all(|near| (near.normal.length() - 1.0).abs() < 1e-6), "{near:?}");
    }
}

#[test]
fn many_identical_boxes_are_all_found_in_the_order_of_keys() {
    let mut world = World::new();
    let cube = Aabb::new(Vec3::ZERO, Vec3::ONE).unwrap();
    let mut keys = world.insert_batch((0..20_000).map(|_| Object::fixed(cube)));
    keys.sort_unstable();
    let mut near = vec![];
    world.nearest(&Shape::from(cube), 1.0, usize::MAX, &Filter::ALL, &mut near);
    assert!(near.iter().map(|near| near.target).eq(keys.iter().map(|key| Target::from(*key))));
    assert!(near.iter().all(|near| near.distance.separation == -1.0));
    near.clear();
    world.nearest(&Shape::from(cube), 1.0, 3, &Filter::ALL, &mut near);
    assert!(near.iter().map(|near| near.target).eq(keys[..3].iter().map(|key| Target::from(*key))));
}
