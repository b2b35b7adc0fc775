//! Drawings of a world are where its things are: edges, planes, boxes of trees, contacts and motions, all counted.

use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, DrawOptions, Dynamics, DynamicsConfig, Filter, Line, LineKind, Object,
    PlaneGrid, Response, RigidBody, Shape, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Obb, Patch, Plane, Solid, Sphere},
};

const NOTHING: DrawOptions = DrawOptions {
    shapes: false,
    planes: None,
    leaves: false,
    nodes: None,
    contacts: None,
    velocities: None,
    within: None,
};

fn lines(world: &World, options: DrawOptions, filter: &Filter) -> Vec<Line> {
    let mut lines = vec![];
    world.debug_draw(&options, filter, |line| lines.push(line));
    lines
}

fn all(world: &World, options: DrawOptions) -> Vec<Line> {
    lines(world, options, &Filter::ALL)
}

#[test]
fn shapes_are_drawn_by_their_edges() {
    let shapes = DrawOptions { shapes: true, ..NOTHING };
    let drawn = |object: Object| {
        let mut world = World::new();
        world.insert(object);
        all(&world, shapes)
    };
    let aabb = Aabb::new(Vec3::ZERO, Vec3::new(2.0, 3.0, 5.0)).unwrap();
    let lengths = |lines: &[Line]| {
        let mut lengths: Vec<f32> = lines.iter().map(|line| line.start.distance(line.end)).collect();
        lengths.sort_by(f32::total_cmp);
        lengths
    };
    let sides = [[2.0; 4], [3.0; 4], [5.0; 4]].concat();
    let edges = drawn(Object::fixed(aabb));
    assert!(edges.iter().all(|line| line.kind == LineKind::Fixed && aabb.contains_point(line.start)));
    assert_eq!(lengths(&edges), sides);
    assert_eq!(lengths(&drawn(Object::fixed(Brush::try_from(&aabb).unwrap()))), sides);
    let obb = Obb::new(Vec3::ONE, Quat::from_rotation_z(0.3), aabb.half_extents()).unwrap();
    let edges = drawn(Object::moving(obb));
    assert!(lengths(&edges).iter().zip(&sides).all(|(a, b)| (a - b).abs() < 1e-5));
    assert!(edges.iter().all(|line| line.kind == LineKind::Moving));

    let corners = [Vec3::ZERO, Vec3::X * 3.0, Vec3::new(3.0, 4.0, 0.0)];
    assert_eq!(lengths(&drawn(Object::fixed(Patch::new(&corners).unwrap()))), [3.0, 4.0, 5.0]);

    let circles = drawn(Object::fixed(Sphere::new(Vec3::ONE, 2.0).unwrap()));
    assert_eq!(circles.len(), 72);
    assert!(circles.iter().all(|line| (line.start.distance(Vec3::ONE) - 2.0).abs() < 1e-6));
    assert!(circles.chunks(24).all(|circle| circle[23].end == circle[0].start));
}

#[test]
fn planes_are_drawn_next_to_a_point_on_lines_that_stay() {
    let mut world = World::new();
    let normal = Vec3::new(1.0, 2.0, 2.0) / 3.0;
    world.insert_plane(WorldPlane::half_space(Plane::new(normal, -6.0).unwrap()).layers(0b01));
    world.insert_plane(WorldPlane::wall(Plane::new(Vec3::Y, 4.0).unwrap()).layers(0b10));
    let grid = |around| DrawOptions { planes: Some(PlaneGrid { around, spacing: 0.5, cells: 3 }), ..NOTHING };
    let around = Vec3::new(20.0, -7.0, 3.0);
    let drawn = all(&world, grid(around));
    assert_eq!(drawn.len(), 2 * (2 * 7 + 1));
    let (slope, wall) = drawn.split_at(15);
    let height = |p: Vec3| normal.as_dvec3().dot(p.as_dvec3()) - 6.0;
    assert!(slope[..14].iter().all(|line| height(line.start).abs() < 1e-5 && height(line.end).abs() < 1e-5));
    assert!(height(slope[14].start).abs() < 1e-5 && (height(slope[14].end) - 0.5).abs() < 1e-5, "toward what is free");
    assert_eq!((wall[14].start.y, wall[14].end.y), (-4.5, -3.5));
    let near = Vec3::new(20.0, -4.0, 3.0);
    assert!(wall.iter().all(|line| line.start.distance(near) < 3.0 && line.end.distance(near) < 3.0));
    // Moved by half a square, no line has moved.
    let moved = all(&world, grid(around + Vec3::new(0.2, 0.0, 0.2)));
    let on_grid = |line: &Line| (line.start * 2.0).distance((line.start * 2.0).round()) < 1e-4;
    assert!(wall[..14].iter().chain(&moved[15..29]).all(on_grid));

    assert_eq!(lines(&world, grid(around), &Filter::layers(0b10)), wall);
    for spacing in [0.0, -1.0, f32::NAN] {
        assert!(
            all(&world, DrawOptions { planes: Some(PlaneGrid { around, spacing, cells: 3 }), ..NOTHING }).is_empty()
        );
    }
    assert!(all(&world, grid(Vec3::NAN)).is_empty(), "lines of numbers only");
}

#[test]
fn boxes_of_trees_are_around_what_is_in_them() {
    let mut world = World::new();
    let keys: Vec<_> = (0..100)
        .map(|i| {
            let min = Vec3::new((i % 10) as f32 * 4.0, (i / 10) as f32 * 4.0, 0.0);
            world.insert(Object::moving(Aabb::new(min, min + Vec3::new(1.0, 2.0, 3.0)).unwrap()))
        })
        .collect();
    world.optimize();
    let leaves = all(&world, DrawOptions { leaves: true, ..NOTHING });
    assert_eq!((leaves.len(), leaves[0].kind), (12 * 100, LineKind::Leaf));
    let only = lines(&world, DrawOptions { leaves: true, ..NOTHING }, &Filter::ALL.without(&keys[..40]));
    assert_eq!(only.len(), 12 * 60);

    let root = all(&world, DrawOptions { nodes: Some(0), ..NOTHING });
    let corner = |pick: fn(Vec3, Vec3) -> Vec3| root.iter().flat_map(|line| [line.start, line.end]).reduce(pick);
    assert_eq!(root.len(), 12);
    assert_eq!((corner(Vec3::min), corner(Vec3::max)), (Some(Vec3::ZERO), Some(Vec3::new(37.0, 38.0, 3.0))));
    let nodes = all(&world, DrawOptions { nodes: Some(9), ..NOTHING });
    let below = nodes.iter().filter(|line| line.kind == LineKind::Node { depth: 1 }).count();
    // A root with sixteen children, some of which may be leaves.
    assert!((12 * 6..=12 * 16).contains(&below) && below.is_multiple_of(12), "{below}");
    assert!(all(&World::new(), DrawOptions { leaves: true, nodes: Some(9), ..NOTHING }).is_empty());
}

#[test]
fn contacts_and_ways_are_arrows() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    let options = DrawOptions { contacts: Some(0.5), velocities: Some(0.1), ..NOTHING };
    let crate_ = world.insert(Object::moving(Aabb::new(Vec3::Y, Vec3::new(2.0, 4.0, 5.0)).unwrap()));
    let velocity = Vec3::new(0.0, -600.0, 0.0);
    boxes.insert(&mut world, crate_, BoxBody { velocity, response: Response::Stop, ..BoxBody::default() }).unwrap();
    let start = Vec3::new(1.0, 2.5, 2.5);
    assert_eq!(all(&world, options), [Line { start, end: start - Vec3::Y * 60.0, kind: LineKind::Velocity }]);

    boxes.step(&mut world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap();
    let contacts = |world: &World, options: DrawOptions, filter: &Filter| {
        let mut lines = vec![];
        boxes.debug_draw(world, &options, filter, |line| lines.push(line));
        lines
    };
    let drawn = contacts(&world, options, &Filter::ALL);
    let (ring, normals) = drawn.split_at(4);
    assert!(ring.iter().all(|line| line.kind == LineKind::Contact && line.start.y == 0.0 && line.end.y == 0.0));
    assert_eq!(ring.iter().map(|line| line.start.distance(line.end)).sum::<f32>(), 14.0);
    assert_eq!(normals.len(), 4);
    assert!(normals.iter().all(|line| line.kind == LineKind::Normal && line.end - line.start == Vec3::Y * 0.5));
    let off = DrawOptions { contacts: None, ..options };
    let elsewhere = DrawOptions { within: Some(Aabb::new(Vec3::splat(9.0), Vec3::splat(10.0)).unwrap()), ..options };
    for (options, filter) in [(options, Filter::ALL.without(&[crate_])), (off, Filter::ALL), (elsewhere, Filter::ALL)] {
        assert!(contacts(&world, options, &filter).is_empty());
    }
    // The body has stopped.
    assert!(all(&world, options).is_empty());
    world.remove(crate_);
    assert!(contacts(&world, options, &Filter::ALL).is_empty());
}

#[test]
fn contacts_of_rigid_bodies_are_drawn_where_they_push() {
    let (mut world, mut dynamics) = (World::with_tag(1), Dynamics::new());
    let floor = Aabb::new(Vec3::new(-20.0, -1.0, -20.0), Vec3::new(20.0, 0.0, 20.0)).unwrap();
    world.insert(Object::fixed(floor));
    let mut body = |shape: Shape, layers| {
        let key = world.insert(Object::moving(shape).layers(layers));
        dynamics.insert(&mut world, key, RigidBody::dynamic()).unwrap();
    };
    body(Aabb::from_center_half_extents(Vec3::Y * 3.0, Vec3::new(2.0, 3.0, 5.0)).unwrap().into(), 0b01);
    body(Sphere::new(Vec3::new(9.0, 1.0, 0.0), 1.0).unwrap().into(), 0b10);
    body(Sphere::new(Vec3::new(-9.0, 9.0, 0.0), 1.0).unwrap().into(), 0b01);
    for _ in 0..5 {
        dynamics.step(&mut world, 1.0 / 60.0, &DynamicsConfig::default()).unwrap();
    }
    let drawn = |options: DrawOptions, filter: Filter| {
        let mut lines = vec![];
        dynamics.debug_draw(&world, &options, &filter, |line| lines.push(line));
        lines
    };
    let contacts = DrawOptions { contacts: Some(0.5), ..NOTHING };
    let count = |lines: &[Line], kind| lines.iter().filter(|line| line.kind == kind).count();
    // Four corners of the crate, one point of the ball; nothing below the one that falls.
    let all = drawn(contacts, Filter::ALL);
    assert_eq!([count(&all, LineKind::Contact), count(&all, LineKind::Normal)], [4, 5]);
    for line in &all {
        let way = line.end - line.start;
        assert!(line.start.y.abs() < 0.02, "{line:?}");
        assert!(line.kind == LineKind::Contact || (way - Vec3::Y * 0.5).length() < 1e-3, "{line:?}");
    }
    assert_eq!(drawn(contacts, Filter::layers(0b10)).len(), 1);
    let near_ball = Aabb::from_center_half_extents(Vec3::X * 9.0, Vec3::ONE).unwrap();
    assert_eq!(drawn(DrawOptions { within: Some(near_ball), ..contacts }, Filter::ALL).len(), 1);
    assert!(drawn(NOTHING, Filter::ALL).is_empty());
}

#[test]
fn a_capsule_is_drawn_by_rims_arcs_and_sides() {
    let [a, b] = [Vec3::ONE, Vec3::new(3.0, 4.0, 1.0)];
    let mut world = World::new();
    world.insert(Object::fixed(Capsule::new(a, b, 2.0).unwrap()));
    let drawn = all(&world, DrawOptions { shapes: true, ..NOTHING });
    assert_eq!(drawn.len(), 2 * (24 + 2 * 12) + 4);
    let from_axis = |point: Vec3| {
        let share = (point - a).dot(b - a) / (b - a).length_squared();
        point.distance(a.lerp(b, share.clamp(0.0, 1.0)))
    };
    let ends = drawn.iter().flat_map(|line| [line.start, line.end]);
    assert!(ends.into_iter().all(|end| (from_axis(end) - 2.0).abs() < 1e-5), "{drawn:?}");
}
