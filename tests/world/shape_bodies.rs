//! Convex shapes of any kind, and compounds of them, as bodies: they slide and get out of what they overlap as boxes,
//! balls and capsules do, and never end in anything.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Filter, Mesh, MovingShape, Object, PlacedCompound, PlacedMesh, Shape, ShapeSweep, Slide, SlideOptions,
    Terrain, World, WorldPlane,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{
        Aabb, BoxSweep, Brush, Capsule, CapsuleSweep, Convex, Error, Hull, Obb, Plane, Sides, Sphere, SphereSweep,
        Triangle,
    },
};

pub(super) fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

pub(super) fn turn(rng: &mut Rng) -> Quat {
    Quat::from_scaled_axis(vector(rng, 3.0))
}

pub(super) fn hull(rng: &mut Rng, center: Vec3, size: f32) -> Hull {
    let points: Vec<Vec3> = (0..10).map(|_| center + vector(rng, size)).collect();
    Hull::new(&points).unwrap()
}

/// The triangles of a tetrahedron.
fn rock(rng: &mut Rng) -> Mesh {
    let points: Vec<Vec3> = (0..4).map(|_| vector(rng, 1.0)).collect();
    Mesh::new(&points, &[[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]).unwrap()
}

/// Things of every kind around a place, on hills between a floor and a wall.
pub(super) fn scene(rng: &mut Rng, at: Vec3, kinds: std::ops::Range<usize>) -> World {
    let mut world = World::new();
    world.insert_plane(
        WorldPlane::half_space(Plane::from_point_normal(at - 3.0 * Vec3::Y, Vec3::new(0.1, 1.0, 0.2)).unwrap())
            .layers(1),
    );
    world.insert_plane(
        WorldPlane::wall(Plane::from_point_normal(at + 4.0 * Vec3::X, Vec3::new(1.0, 0.3, 0.2)).unwrap()).layers(1),
    );
    let heights: Vec<f32> = (0..10 * 10).map(|_| rng.f32()).collect();
    let hills = Terrain::new(10, 10, &heights, Vec2::ONE, Vec2::splat(-4.5)).unwrap();
    for _ in 0..14 {
        let (center, rotation) = (at + vector(rng, 3.0), turn(rng));
        let kind = kinds.start + rng.usize(0..kinds.len());
        world.insert(Object::fixed(match kind {
            0 => Shape::from(Obb::new(center, rotation, Vec3::new(0.4, 0.7, 1.0)).unwrap()),
            1 => Aabb::from_center_half_extents(center, Vec3::new(0.4, 0.7, 1.0)).unwrap().into(),
            2 => hull(rng, center, 0.8).into(),
            3 => Sphere::new(center, 0.6).unwrap().into(),
            4 => Capsule::from_half_axis(center, rotation * Vec3::Y, 0.4).unwrap().into(),
            5 => PlacedMesh::new(&rock(rng), rotation, center, Vec3::ONE).unwrap().into(),
            6 => Triangle::new(center, center + rotation * Vec3::X, center + rotation * Vec3::Y).unwrap().into(),
            _ => compound(rng, rotation, center).into(),
        }));
    }
    if kinds.len() > 4 {
        let hills = Shape::from(&hills).transformed(Quat::IDENTITY, at - Vec3::Y * 3.0).unwrap();
        world.insert(Object::fixed(hills));
    }
    world
}

pub(super) fn compound(rng: &mut Rng, rotation: Quat, center: Vec3) -> PlacedCompound {
    let children: Vec<Shape> = vec![
        Obb::new(Vec3::X * 0.5, turn(rng), Vec3::new(0.3, 0.5, 0.2)).unwrap().into(),
        hull(rng, Vec3::X * -0.5, 0.6).into(),
        Sphere::new(Vec3::Z * 0.5, 0.4).unwrap().into(),
    ];
    PlacedCompound::new(&Compound::new(children).unwrap(), rotation, center).unwrap()
}

/// A shape that can move.
pub(super) fn mover(rng: &mut Rng, center: Vec3) -> Shape {
    let rotation = turn(rng);
    match rng.usize(0..6) {
        0 | 1 => hull(rng, center, 0.6).into(),
        2 => Obb::new(center, rotation, Vec3::new(0.3, 0.6, 0.4)).unwrap().into(),
        3 => Capsule::from_half_axis(center, rotation * Vec3::X * 0.5, 0.3).unwrap().into(),
        4 => Triangle::new(center, center + rotation * Vec3::X, center + rotation * Vec3::Y).unwrap().into(),
        _ => compound(rng, rotation, center).into(),
    }
}

fn slide(world: &World, shape: &Shape, motion: Vec3) -> Slide {
    world.slide(&ShapeSweep::new(shape, motion).unwrap(), &Filter::ALL, &SlideOptions::default())
}

fn is_free(world: &World, shape: &Shape) -> bool {
    let swept = world.sweep(&ShapeSweep::new(shape, Vec3::ZERO).unwrap(), &Filter::ALL);
    swept.overlap.is_none()
}

/// The convex children of a shape, if they are held by value or by reference.
pub(super) fn with_convexes(shape: &Shape, visit: &mut dyn FnMut(Convex)) {
    match shape {
        Shape::Aabb(shape) => visit((*shape).into()),
        Shape::Obb(shape) => visit((*shape).into()),
        Shape::Sphere(shape) => visit((*shape).into()),
        Shape::Capsule(shape) => visit((*shape).into()),
        Shape::Triangle(shape) => visit((*shape).into()),
        Shape::Brush(shape) => visit((&**shape).into()),
        Shape::Mesh(mesh) if mesh.mesh().sides() == Sides::Both => {
            (0..4).filter_map(|number| mesh.triangle(number)).for_each(|triangle| visit(triangle.into()));
        }
        Shape::Compound(shape) => {
            (0..3).filter_map(|number| shape.child(number)).for_each(|child| with_convexes(&child, visit));
        }
        _ => {}
    }
}

/// Whether a shape has inner points in common with an object, by looking at all pairs of their parts.
pub(super) fn penetrates(world: &World, shape: &Shape) -> bool {
    let mut found = false;
    with_convexes(shape, &mut |own| {
        let own = own.core();
        for (_, object) in world.objects() {
            with_convexes(&object.shape, &mut |part| found |= own.penetrates(&part.core()));
        }
    });
    found
}

#[test]
fn a_shape_penetrates_nothing_where_its_slide_ends() {
    let mut rng = Rng::with_seed(SEED);
    let [mut contacts, mut stuck, mut pushed] = [0; 3];
    for case in 0..160 {
        let at = vector(&mut rng, [0.0, 30.0, 3e3, 1e5][case % 4]);
        let world = scene(&mut rng, at, 0..8);
        for _ in 0..4 {
            let center = at + vector(&mut rng, 2.0);
            let mut shape = mover(&mut rng, center);
            for _ in 0..5 {
                let motion = vector(&mut rng, 2.0);
                let slide = slide(&world, &shape, motion);
                if slide.overlap.is_some() {
                    stuck += 1;
                    break;
                }
                pushed += usize::from(!is_free(&world, &shape));
                contacts += slide.contacts.len();
                shape = shape.transformed(Quat::IDENTITY, slide.position).unwrap();
                assert!(is_free(&world, &shape), "case {case}: {shape:?} after {motion} by {slide:?}");
                assert!(!penetrates(&world, &shape), "case {case}: {shape:?}");
            }
        }
    }
    assert!(contacts > 2000 && stuck < 300 && pushed > 100, "{contacts} contacts, {stuck} stuck, {pushed} pushed");
}

/// Compares the slides of a shape with those of the body that it is.
fn compare(own: impl Fn(&World, Vec3, Vec3) -> (Shape, Slide), kinds: std::ops::Range<usize>) {
    let mut rng = Rng::with_seed(SEED);
    let (mut met, mut same, mut count) = (0, 0, 0);
    for _ in 0..100 {
        let world = scene(&mut rng, Vec3::ZERO, kinds.clone());
        for _ in 0..10 {
            let (center, motion) = (vector(&mut rng, 3.0), vector(&mut rng, 3.0));
            let (shape, expected) = own(&world, center, motion);
            if !is_free(&world, &shape) {
                continue;
            }
            let found = slide(&world, &shape, motion);
            met += usize::from(!expected.contacts.is_empty());
            count += 1;
            same += usize::from(found.position.distance(expected.position - center) < 1e-3);
        }
    }
    // Near an edge, rounding decides which of two surfaces comes first.
    assert!(met > 150 && same * 100 > count * 98, "{same} alike of {count}, {met} met something");
}

#[test]
fn boxes_balls_and_capsules_slide_as_their_own_slides_do() {
    let options = SlideOptions::default();
    let turned = Quat::from_scaled_axis(Vec3::new(0.4, 0.7, -0.3));
    let of_box = |world: &World, center: Vec3, motion: Vec3| {
        let body = Obb::new(center, turned, Vec3::new(0.3, 0.6, 0.4)).unwrap();
        (body.into(), world.slide(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL, &options))
    };
    compare(of_box, 0..8);
    let of_hull = |world: &World, center: Vec3, motion: Vec3| {
        let body = Obb::new(center, turned, Vec3::new(0.3, 0.6, 0.4)).unwrap();
        let slide = world.slide(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL, &options);
        (Hull::new(&body.corners()).unwrap().into(), slide)
    };
    compare(of_hull, 0..8);
    // Two halves of a box.
    let of_halves = |world: &World, center: Vec3, motion: Vec3| {
        let body = Obb::new(center, Quat::IDENTITY, Vec3::new(0.3, 0.6, 0.4)).unwrap();
        let half = |x: f32| Aabb::from_center_half_extents(Vec3::X * x, Vec3::new(0.15, 0.6, 0.4)).unwrap();
        let halves = Compound::new([half(-0.15).into(), half(0.15).into()]).unwrap();
        let slide = world.slide(&BoxSweep::new(body, motion).unwrap(), &Filter::ALL, &options);
        (PlacedCompound::new(&halves, Quat::IDENTITY, center).unwrap().into(), slide)
    };
    compare(of_halves, 0..5);
    let of_ball = |world: &World, center: Vec3, motion: Vec3| {
        let body = Sphere::new(center, 0.5).unwrap();
        (body.into(), world.slide(&SphereSweep::new(body, motion).unwrap(), &Filter::ALL, &options))
    };
    compare(of_ball, 0..8);
    let of_capsule = |world: &World, center: Vec3, motion: Vec3| {
        let body = Capsule::from_half_axis(center, turned * Vec3::X * 0.5, 0.3).unwrap();
        (body.into(), world.slide(&CapsuleSweep::new(body, motion).unwrap(), &Filter::ALL, &options))
    };
    compare(of_capsule, 0..8);
}

#[test]
fn boxes_balls_and_capsules_get_out_as_their_own_searches_do() {
    let mut rng = Rng::with_seed(SEED);
    let [mut pushed, mut kept, mut missed, mut more, mut longer, mut shorter] = [0; 6];
    for case in 0..250 {
        let at = vector(&mut rng, [1.0, 100.0][case % 2]);
        let mut world = World::new();
        for _ in 0..1 + case % 3 {
            let center = at + vector(&mut rng, 0.8);
            world.insert(Object::fixed(match rng.usize(0..4) {
                0 => Shape::from(hull(&mut rng, center, 0.8)),
                1 => Obb::new(center, turn(&mut rng), Vec3::new(0.3, 0.7, 0.9)).unwrap().into(),
                2 => Sphere::new(center, 0.6).unwrap().into(),
                _ => Capsule::from_half_axis(center, turn(&mut rng) * Vec3::Y, 0.4).unwrap().into(),
            }));
        }
        let body = Obb::new(at, turn(&mut rng), Vec3::new(0.3, 0.6, 0.4)).unwrap();
        let ball = Sphere::new(at, 0.5).unwrap();
        let capsule = Capsule::from_half_axis(at, turn(&mut rng) * Vec3::X * 0.5, 0.3).unwrap();
        let boxed = Brush::try_from(&Aabb::from_center_half_extents(at, Vec3::new(0.3, 0.6, 0.4)).unwrap()).unwrap();
        let upright = Obb::new(at, Quat::IDENTITY, Vec3::new(0.3, 0.6, 0.4)).unwrap();
        let bodies = [
            (Shape::from(body), world.depenetrate(&body, &Filter::ALL)),
            (ball.into(), world.depenetrate(&ball, &Filter::ALL)),
            (capsule.into(), world.depenetrate(&capsule, &Filter::ALL)),
            (boxed.into(), world.depenetrate(&upright, &Filter::ALL)),
        ];
        for (shape, expected) in bodies {
            let found = world.depenetrate(&MovingShape::new(shape.clone(), Vec3::ZERO).unwrap(), &Filter::ALL);
            let expected = expected.map(|center| center.distance(at));
            if let Some(way) = found {
                let free = shape.transformed(Quat::IDENTITY, way).unwrap();
                assert!(is_free(&world, &free) && !penetrates(&world, &free), "case {case}: {shape:?} by {way}");
                *(if way == Vec3::ZERO { &mut kept } else { &mut pushed }) += 1;
                assert_eq!(way == Vec3::ZERO, is_free(&world, &shape), "case {case}: {shape:?}");
            }
            match (found, expected) {
                (Some(way), Some(expected)) => {
                    longer += usize::from(way.length() > 1.001 * expected + 1e-3);
                    shorter += usize::from(way.length() < 0.999 * expected - 1e-3);
                }
                (None, Some(_)) => missed += 1,
                (Some(_), None) => more += 1,
                (None, None) => {}
            }
        }
    }
    assert!(pushed > 500 && kept > 20, "{pushed} pushed, {kept} kept");
    // Out of several round things at once, neither search is sure to find the shortest way.
    let counts = format!("{missed} missed, {more} more, {longer} longer, {shorter} shorter");
    assert!(missed < 4 && longer < 12, "{counts}");
}

#[test]
fn a_hull_leaves_one_thing_by_the_depth() {
    let mut rng = Rng::with_seed(SEED);
    let mut pushed = 0;
    for case in 0..300 {
        let (rotation, center) = (turn(&mut rng), vector(&mut rng, 0.7));
        let shape = mover(&mut rng, Vec3::ZERO);
        let other = mover(&mut rng, center);
        let mut world = World::new();
        world.insert(Object::fixed(other.transformed(rotation, Vec3::ZERO).unwrap()));
        let Some(way) = world.depenetrate(&MovingShape::new(shape.clone(), Vec3::ZERO).unwrap(), &Filter::ALL) else {
            panic!("case {case}: {shape:?} stays in {other:?}")
        };
        if is_compound(&shape) || is_compound(&other) {
            continue;
        }
        let swept = world.sweep(&ShapeSweep::new(&shape, Vec3::ZERO).unwrap(), &Filter::ALL);
        let depth = swept.overlap.map_or(0.0, |overlap| overlap.depth);
        assert!((way.length() - depth).abs() < 1e-4, "case {case}: {way} out of {depth}: {shape:?} {other:?}");
        pushed += usize::from(depth > 0.0);
    }
    assert!(pushed > 120, "{pushed}");
}

fn is_compound(shape: &Shape) -> bool {
    matches!(shape, Shape::Compound(_))
}

#[test]
fn a_half_space_that_a_shape_is_behind_is_ignored_for_its_whole_slide() {
    let mut world = World::new();
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::X, 0.0).unwrap()).layers(1));
    let mut rng = Rng::with_seed(SEED);
    for _ in 0..50 {
        let shape = Shape::from(hull(&mut rng, Vec3::new(-3.0, -3.0, 0.0), 1.0));
        let slide = slide(&world, &shape, Vec3::new(5.0, 4.0, 0.0));
        assert!(slide.overlap.is_none() && (slide.position.y - 4.0).abs() < 1e-4, "{slide:?}");
        let end = shape.transformed(Quat::IDENTITY, slide.position).unwrap();
        assert!(end.aabb().max().x <= 1e-6 && end.aabb().max().x > -1e-4, "{slide:?}");
    }
}

#[test]
fn what_cannot_move_or_has_bad_numbers_is_refused() {
    let mut rng = Rng::with_seed(SEED);
    let rock = Shape::from(&rock(&mut rng));
    assert_eq!(ShapeSweep::new(&rock, Vec3::ZERO).unwrap_err(), Error::Surface { field: "shape" });
    let ball = Shape::from(Sphere::new(Vec3::ZERO, 1.0).unwrap());
    let both = Shape::from(Compound::new([ball.clone(), rock]).unwrap());
    assert_eq!(MovingShape::new(both, Vec3::ZERO), Err(Error::Surface { field: "shape" }));
    // Without a motion it is only pushed out, and a limit of no steps moves nothing.
    let sweep = ShapeSweep::new(&ball, Vec3::NEG_Y).unwrap();
    let slide = World::new().slide(&sweep, &Filter::ALL, &SlideOptions { max_steps: 0 });
    assert_eq!((slide.position, slide.motion), (Vec3::ZERO, Vec3::NEG_Y));
}

#[test]
fn a_hull_far_out_slides_over_a_slope_and_never_into_it() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..100 {
        let at = vector(&mut rng, [1e4, 1e6][case % 2]);
        let mut world = World::new();
        let floor = Plane::from_point_normal(at, Vec3::new(0.1, 1.0, -0.2)).unwrap();
        world.insert_plane(WorldPlane::half_space(floor).layers(1));
        let size = at.abs().max_element() * 1e-5;
        let mut shape = Shape::from(hull(&mut rng, at + Vec3::Y * size * 3.0, size));
        for _ in 0..10 {
            let motion = vector(&mut rng, size) - Vec3::Y * size;
            let slide = slide(&world, &shape, motion);
            assert!(slide.overlap.is_none(), "case {case}");
            shape = shape.transformed(Quat::IDENTITY, slide.position).unwrap();
            let Shape::Brush(brush) = &shape else { panic!() };
            let normal = floor.normal().as_dvec3();
            let lowest = |vertex: &DVec3| normal.dot(*vertex) + f64::from(floor.d());
            let lowest = brush.vertices().iter().map(lowest).fold(f64::INFINITY, f64::min);
            assert!(lowest >= -1e-9 * at.length() as f64, "case {case}: {lowest}");
        }
    }
}
