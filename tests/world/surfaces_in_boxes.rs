//! The triangles of the world in a box, and which of them are floors; lines within a box; slopes of terrains.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    Compound, Diagonal, DrawOptions, Filter, Line, Mesh, Mover, Object, PlaneGrid, Shape, Target, Terrain, World,
    WorldPlane, WorldTriangle,
    glam::{DVec3, Quat, Vec2, Vec3},
    narrowphase::{Aabb, Brush, Capsule, Hull, Obb, Patch, Plane, Ray, Segment, Sides, Solid, Sphere, Triangle},
};

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(rng.f32(), rng.f32(), rng.f32()) * 2.0 - 1.0
}

/// A closed solid of each kind.
fn solid(rng: &mut Rng, kind: usize) -> Shape {
    let (at, half) = (vector(rng) * 4.0, vector(rng).abs() + 0.3);
    let turn = Quat::from_scaled_axis(vector(rng) * 2.0);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE].map(|corner| at + turn * (corner * half * 2.0));
    match kind % 7 {
        0 => Aabb::from_center_half_extents(at, half).unwrap().into(),
        1 => Obb::new(at, turn, half).unwrap().into(),
        2 => {
            // A mirrored box.
            let edges = [Vec3::X, Vec3::Z, Vec3::Y].map(|axis| turn * (axis * half));
            Obb::from_half_edges(at, edges).unwrap().into()
        }
        3 => Sphere::new(at, half.x).unwrap().into(),
        4 => Capsule::from_half_axis(at, turn * (Vec3::Y * half.y), half.x).unwrap().into(),
        5 => Hull::new(&corners).unwrap().into(),
        _ => Brush::try_from(&Obb::new(at, turn, half).unwrap()).unwrap().into(),
    }
}

fn triangles(world: &World, bounds: &Aabb, filter: &Filter) -> Vec<WorldTriangle> {
    let mut found = vec![];
    world.triangles_in(bounds, filter, |triangle| found.push(*triangle));
    found
}

fn everything() -> Aabb {
    Aabb::from_center_half_extents(Vec3::ZERO, Vec3::splat(100.0)).unwrap()
}

/// Six times the volume that closed triangles enclose.
fn volume(triangles: &[WorldTriangle]) -> f64 {
    let spat = |triangle: &WorldTriangle| {
        let [a, b, c] = triangle.triangle.points().map(|point| point.as_dvec3());
        a.cross(b).dot(c)
    };
    triangles.iter().map(spat).sum::<f64>() / 6.0
}

#[test]
fn solids_are_closed_and_face_outward() {
    let mut rng = Rng::with_seed(SEED);
    for case in 0..140 {
        let shape = solid(&mut rng, case);
        let expected = match &shape {
            Shape::Aabb(shape) => f64::from((shape.max() - shape.min()).element_product()),
            Shape::Obb(shape) => f64::from(8.0 * shape.half_extents().element_product()),
            Shape::Sphere(shape) => 4.0 / 3.0 * std::f64::consts::PI * f64::from(shape.radius()).powi(3),
            Shape::Capsule(shape) => {
                let (r, h) = (f64::from(shape.radius()), 2.0 * f64::from(shape.half_axis().length()));
                std::f64::consts::PI * r * r * (h + 4.0 / 3.0 * r)
            }
            Shape::Brush(shape) => shape.moments().volume,
            _ => unreachable!(),
        };
        let is_round = matches!(shape, Shape::Sphere(_) | Shape::Capsule(_));
        let mut world = World::with_tag(1);
        let key = world.insert(Object::fixed(shape.clone()));
        let found = triangles(&world, &everything(), &Filter::ALL);
        let enclosed = volume(&found);
        let least = if is_round { 0.88 } else { 1.0 - 1e-5 };
        assert!(enclosed > least * expected && enclosed < expected * (1.0 + 1e-5), "{case}: {enclosed} {expected}");
        // Each edge is that of two triangles, in opposite directions.
        let mut edges = vec![];
        for triangle in &found {
            assert_eq!((triangle.target, triangle.part, triangle.sides), (Target::from(key), 0, Sides::Front));
            let [a, b, c] = triangle.triangle.points().map(|point| point.to_array().map(f32::to_bits));
            edges.extend([(a, b), (b, c), (c, a)]);
        }
        assert!(edges.iter().all(|(a, b)| edges.contains(&(*b, *a))), "{case}");
        // What bulges is inside by no more than 6 % of its radius.
        if let Shape::Sphere(ball) = &shape {
            for triangle in &found {
                let deep = triangle.triangle.closest_point(ball.center()).distance(ball.center());
                assert!(deep > 0.94 * ball.radius(), "{case}: {deep}");
            }
            assert_eq!(found.len(), 128);
        }
    }
}

#[test]
fn only_what_is_near_the_box_is_found_and_all_of_that() {
    let mut rng = Rng::with_seed(SEED + 1);
    let mut world = World::with_tag(1);
    for i in 0..60 {
        let shape = match i % 9 {
            7 => {
                let corners: Vec<Vec3> = (0..12).map(|_| vector(&mut rng) * 5.0).collect();
                let faces: Vec<[u32; 3]> = (0..10).map(|k| [k, k + 1, k + 2]).collect();
                Mesh::new(&corners, &faces).unwrap().with_surfaces(&[3, 4, 5, 6, 7, 3, 4, 5, 6, 7]).unwrap().into()
            }
            8 => Compound::new([solid(&mut rng, i), solid(&mut rng, i + 1), solid(&mut rng, i + 3)]).unwrap().into(),
            kind => solid(&mut rng, kind),
        };
        world.insert(Object::fixed(shape).layers(1 << (i % 2)));
    }
    let heights: Vec<f32> = (0..81).map(|_| rng.f32()).collect();
    world.insert(Object::fixed(Terrain::new(9, 9, &heights, Vec2::ONE, Vec2::splat(-4.0)).unwrap()));
    world.insert(Object::fixed(Patch::new(&[Vec3::ZERO, Vec3::X, Vec3::X + Vec3::Z, Vec3::Z]).unwrap()));
    world.insert(Object::fixed(Triangle::new(Vec3::ZERO, Vec3::Y, Vec3::X).unwrap()));
    let all = triangles(&world, &everything(), &Filter::ALL);
    assert!(all.is_sorted_by_key(|triangle| (triangle.target, triangle.part)));
    let (mut inside, mut outside) = (0, 0);
    for case in 0..200 {
        let bounds = Aabb::from_center_half_extents(vector(&mut rng) * 5.0, vector(&mut rng).abs() * 2.0).unwrap();
        let (filter, layers) = [(Filter::ALL, 3), (Filter::layers(0b10), 2)][case % 2].clone();
        let found = triangles(&world, &bounds, &filter);
        for triangle in &all {
            let object = world.object(triangle.target.object().unwrap()).unwrap();
            let gap = gap(&triangle.triangle, &bounds);
            if gap.abs() > 1e-4 {
                let is_near = gap < 0.0 && object.layers & layers != 0;
                assert_eq!(found.contains(triangle), is_near, "{case}: {triangle:?} {gap}");
            }
        }
        assert!(found.is_sorted_by_key(|triangle| (triangle.target, triangle.part)));
        assert!(found.iter().all(|it| world.surface(it.target, it.part) == Some(it.surface)));
        (inside, outside) = (inside + found.len(), outside + all.len() - found.len());
    }
    assert!(inside > 5000 && outside > 5000, "{inside} {outside}");
}

/// How far a triangle and a box are apart along the direction in which they are so farthest; negative if they meet.
fn gap(triangle: &Triangle, aabb: &Aabb) -> f64 {
    let corners = triangle.points().map(|point| point.as_dvec3());
    let [p, q, r] = corners;
    let edges = [q - p, r - q, p - r];
    let across = edges.iter().flat_map(|edge| DVec3::AXES.map(|axis| edge.cross(axis)));
    let axes = DVec3::AXES.into_iter().chain([edges[0].cross(edges[1])]).chain(across);
    let (center, half) = (aabb.center().as_dvec3(), 0.5 * (aabb.max() - aabb.min()).as_dvec3());
    let gaps = axes.filter_map(|axis| {
        let axis = axis.try_normalize()?;
        let at = corners.map(|corner| axis.dot(corner - center));
        let (low, high) = (at[0].min(at[1]).min(at[2]), at[0].max(at[1]).max(at[2]));
        let reach = axis.abs().dot(half);
        Some((low - reach).max(-reach - high))
    });
    gaps.fold(f64::NEG_INFINITY, f64::max)
}

/// The front of a plane within the box: as large as rays through the box find it.
#[test]
fn planes_are_cut_off_at_the_box() {
    let mut rng = Rng::with_seed(SEED + 2);
    let mut count = 0;
    for case in 0..200 {
        let mut world = World::with_tag(1);
        let bounds = Aabb::from_center_half_extents(vector(&mut rng) * 50.0, vector(&mut rng).abs() + 0.2).unwrap();
        let size = (bounds.max() - bounds.min()).length();
        let plane = Plane::from_point_normal(bounds.center() + vector(&mut rng) * size, vector(&mut rng)).unwrap();
        let key = if case % 2 == 0 {
            world.insert_plane(WorldPlane::half_space(plane).layers(1))
        } else {
            world.insert_plane(WorldPlane::wall(plane).layers(1))
        };
        let found = triangles(&world, &bounds, &Filter::ALL);
        assert!(triangles(&world, &bounds, &Filter::layers(2)).is_empty());
        for it in &found {
            assert_eq!((it.target, it.sides), (key.into(), [Sides::Front, Sides::Both][case % 2]));
            assert!(it.triangle.normal().dot(plane.normal()) > 0.999, "{case}");
            for point in it.triangle.points() {
                assert!(bounds.expanded(1e-4).contains_point(point) && plane.signed_distance(point).abs() < 1e-4);
            }
        }
        // Every point of the plane in the box is in one of the triangles, and no other point is.
        for _ in 0..50 {
            let from = bounds.center() + vector(&mut rng) * 0.5 * (bounds.max() - bounds.min());
            let on = plane.closest_point(from);
            let near = found.iter().any(|it| it.triangle.closest_point(on).distance(on) < 1e-4);
            let margin = (on - on.clamp(bounds.min(), bounds.max())).length();
            if margin == 0.0 {
                assert!(near, "{case}: {on}");
                count += 1;
            } else if margin > 1e-3 {
                assert!(!near, "{case}: {on}");
            }
        }
    }
    assert!(count > 1000, "{count}");
}

/// A walker stands where the triangles say that it can.
#[test]
fn floors_are_those_that_the_slope_allows() {
    let mut rng = Rng::with_seed(SEED + 3);
    let mover = Mover { max_slope: 0.7, ..Mover::default() };
    let (mut floors, mut walls) = (0, 0);
    for case in 0..300 {
        let corners = [(); 3].map(|()| vector(&mut rng) * 3.0);
        let mut world = World::with_tag(1);
        let mesh = Mesh::new(&corners, &[[0, 1, 2]]).unwrap();
        let mesh = if case % 2 == 0 { mesh.with_sides(Sides::Front) } else { mesh };
        world.insert(Object::fixed(mesh));
        let found = triangles(&world, &everything(), &Filter::ALL);
        let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalize();
        let rise = if case % 2 == 0 { normal.y } else { normal.y.abs() };
        assert_eq!(mover.stands_on(&found[0]), rise >= 0.7f32.cos(), "{case}: {rise}");
        floors += usize::from(mover.stands_on(&found[0]));
        walls += usize::from(!mover.stands_on(&found[0]));
    }
    assert!(floors > 30 && walls > 100, "{floors} {walls}");
    let flat = WorldTriangle { ..triangles(&ground(), &everything(), &Filter::ALL)[0] };
    assert!(mover.stands_on(&flat));
    assert!(
        !Mover { up: Vec3::ZERO, ..mover }.stands_on(&flat) && !Mover { max_slope: f32::NAN, ..mover }.stands_on(&flat)
    );
}

fn ground() -> World {
    let mut world = World::with_tag(1);
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.0).unwrap()).layers(1));
    world
}

/// A terrain says of a place what a ray from above finds there.
#[test]
fn triangles_and_normals_of_a_terrain_are_those_that_a_ray_meets() {
    let mut rng = Rng::with_seed(SEED + 4);
    let (mut hits, mut holes) = (0, 0);
    for case in 0..20 {
        let heights: Vec<f32> = (0..63).map(|_| 3.0 * rng.f32()).collect();
        let (spacing, origin) = (Vec2::new(0.5 + rng.f32(), 0.5 + rng.f32()), Vec2::new(rng.f32(), -2.0));
        let mut terrain = Terrain::new(9, 7, &heights, spacing, origin).unwrap();
        if case % 2 == 0 {
            terrain.dig(2..4, 1..3).unwrap();
        }
        if case % 3 == 0 {
            terrain.set_diagonal(1..7, 2..5, Diagonal::Ascending).unwrap();
        }
        let mut world = World::with_tag(1);
        world.insert(Object::fixed(terrain.clone()));
        for _ in 0..200 {
            let (x, z) = (
                origin.x + (rng.f32() * 1.2 - 0.1) * 8.0 * spacing.x,
                origin.y + (rng.f32() * 1.2 - 0.1) * 6.0 * spacing.y,
            );
            let down = Ray::new(Vec3::new(x, 9.0, z), Vec3::NEG_Y).unwrap();
            let hit = world.cast_ray(&down, 99.0, &Filter::ALL);
            assert_eq!(terrain.triangle_at(x, z), hit.map(|hit| hit.part), "{case}: {x} {z}");
            let normal = terrain.normal_at(x, z);
            assert_eq!(normal.is_some(), terrain.height_at(x, z).is_some());
            if let Some((hit, normal)) = hit.zip(normal) {
                assert!(hit.normal.distance(normal) < 1e-6 && normal.y > 0.0, "{case}: {normal} {}", hit.normal);
                hits += 1;
            } else {
                holes += 1;
            }
        }
        assert_eq!((terrain.triangle_at(f32::NAN, 0.0), terrain.normal_at(0.0, f32::INFINITY)), (None, None));
    }
    assert!(hits > 1500 && holes > 300, "{hits} {holes}");
}

/// Drawing within a box leaves out what is elsewhere, and only that.
#[test]
fn lines_within_a_box_are_those_of_all_lines_that_touch_it() {
    let mut rng = Rng::with_seed(SEED + 5);
    let mut world = World::with_tag(1);
    world.insert_plane(WorldPlane::half_space(Plane::new(Vec3::Y, 0.5).unwrap()).layers(1));
    for i in 0..40 {
        let shape = if i % 8 == 7 {
            Compound::new([solid(&mut rng, i), solid(&mut rng, i + 2)]).unwrap().into()
        } else {
            solid(&mut rng, i)
        };
        let key = world.insert(Object::moving(shape));
        world.object_mut(key).unwrap().set_velocity(vector(&mut rng)).unwrap();
    }
    let heights: Vec<f32> = (0..400).map(|_| rng.f32()).collect();
    world.insert(Object::fixed(Terrain::new(20, 20, &heights, Vec2::ONE, Vec2::splat(-9.0)).unwrap()));
    let grid = PlaneGrid { around: Vec3::ZERO, spacing: 1.0, cells: 6 };
    let options = DrawOptions { planes: Some(grid), leaves: true, nodes: Some(9), ..DrawOptions::default() };
    let lines = |options: &DrawOptions| {
        let mut lines: Vec<Line> = vec![];
        world.debug_draw(options, &Filter::ALL, |line| lines.push(line));
        lines
    };
    let all = lines(&options);
    let mut kinds = std::collections::BTreeSet::new();
    for case in 0..60 {
        let within = Aabb::from_center_half_extents(vector(&mut rng) * 6.0, vector(&mut rng).abs() * 3.0).unwrap();
        let touches = |line: &&Line| Segment::between(line.start, line.end).unwrap().cast(&within).is_some();
        let expected: Vec<Line> = all.iter().filter(touches).copied().collect();
        let found = lines(&DrawOptions { within: Some(within), ..options });
        assert_eq!(found, expected, "{case}");
        for line in &all {
            let is_inside = (0..=32).any(|i| within.contains_point(line.start.lerp(line.end, i as f32 / 32.0)));
            assert!(!is_inside || found.contains(line), "{case}: {line:?}");
        }
        kinds.extend(found.iter().map(|line| format!("{:?}", line.kind).split(' ').next().unwrap().to_owned()));
    }
    assert!(kinds.len() >= 6, "{kinds:?}");
}
