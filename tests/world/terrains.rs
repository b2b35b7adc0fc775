//! A terrain answers as a mesh of its triangles does, and that answers as the triangles would if each were a separate
//! object.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Diagonal, Filter, Mesh, Object, ObjectKey, PlacedTerrain, Response,
    SlideOptions, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{BoxSweep, Camera, Frustum, Obb, Plane, Ray, Segment, Sides, Sphere, SphereSweep},
};

/// A world with a terrain and one with the mesh of its triangles, with the same key and the same numbers.
struct Pair {
    terrain: World,
    mesh: World,
    key: ObjectKey,
}

impl Pair {
    fn new(placed: &PlacedTerrain) -> Self {
        let [mut terrain, mut mesh] = [World::with_tag(1), World::with_tag(1)];
        let key = terrain.insert(Object::fixed(placed.clone()));
        assert_eq!(mesh.insert(Object::fixed(mesh_of(placed))), key);
        Self { terrain, mesh, key }
    }

    fn each<T>(&self, ask: impl Fn(&World) -> T) -> [T; 2] {
        [ask(&self.terrain), ask(&self.mesh)]
    }
}

/// The triangles of a terrain in its place, as a mesh; holes are triangles without area.
fn mesh_of(placed: &PlacedTerrain) -> Mesh {
    let terrain = placed.terrain();
    let (mut vertices, mut triangles, mut surfaces) = (vec![placed.aabb().center()], vec![], vec![]);
    for number in 0..terrain.len() as u32 {
        let (column, row) = terrain.cell_of(number).unwrap();
        surfaces.push(terrain.surface(column, row).unwrap());
        let first = vertices.len() as u32;
        let triangle = placed.triangle(number);
        triangles.push(if triangle.is_some() { [first, first + 1, first + 2] } else { [0; 3] });
        vertices.extend(triangle.iter().flat_map(|triangle| triangle.points()));
    }
    let mesh = Mesh::new(&vertices, &triangles).unwrap().with_surfaces(&surfaces).unwrap();
    mesh.with_sides(terrain.sides())
}

/// A terrain of `columns` by `rows` samples, with holes, both diagonals and some surfaces.
fn field(rng: &mut Rng, columns: u32, rows: u32) -> Terrain {
    let heights: Vec<f32> = (0..columns * rows).map(|_| 0.25 * f32::from(rng.i8(-4..=4))).collect();
    let spacing = if rng.bool() { Vec2::new(1.0, 0.5) } else { Vec2::new(0.7, 1.3) };
    let origin = -0.5 * spacing * Vec2::new(columns as f32, rows as f32).round();
    let mut terrain = Terrain::new(columns, rows, &heights, spacing, origin).unwrap();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let (columns, rows) = (column..column + 1, row..row + 1);
            match rng.u8(0..8) {
                0 => terrain.dig(columns, rows).unwrap(),
                1..=3 => terrain.set_diagonal(columns, rows, Diagonal::Ascending).unwrap(),
                4 => terrain.set_surface(columns, rows, rng.u16(0..100)).unwrap(),
                _ => {}
            }
        }
    }
    terrain
}

fn placements(rng: &mut Rng, terrain: &Terrain) -> Vec<PlacedTerrain> {
    let mut any = || 2.0 * rng.f32() - 1.0;
    let shift = 50.0 * Vec3::new(any(), any(), any());
    let turn = Quat::from_xyzw(any(), any(), any(), any());
    let moved = [(Quat::IDENTITY, shift), (turn, shift)];
    let moved = moved.map(|(turn, shift)| PlacedTerrain::new(terrain, turn, shift).unwrap());
    [PlacedTerrain::from(terrain.clone())].into_iter().chain(moved).collect()
}

/// From one cell to more than a block of blocks, and narrow ones.
const SIZES: [(u32, u32); 7] = [(2, 2), (2, 90), (13, 13), (70, 3), (18, 30), (5, 5), (67, 66)];

/// Calls `visit` with placed terrains, a number generator for queries, and the middle of the region to query.
fn each_pair(sides: Sides, mut visit: impl FnMut(&Pair, &PlacedTerrain, &mut Rng, Vec3)) {
    let mut rng = Rng::with_seed(SEED);
    for (columns, rows) in SIZES {
        let terrain = field(&mut rng, columns, rows).with_sides(sides);
        for placed in placements(&mut rng, &terrain) {
            let near = (0..terrain.len() as u32).find_map(|_| placed.triangle(rng.u32(0..terrain.len() as u32)));
            let middle = near.map_or(placed.aabb().center(), |triangle| triangle.points()[0]);
            visit(&Pair::new(&placed), &placed, &mut rng, middle);
        }
    }
}

fn vector(rng: &mut Rng, size: f32) -> Vec3 {
    Vec3::from([0; 3].map(|_| size * (2.0 * rng.f32() - 1.0)))
}

/// Casts a ray in both, which have to agree; returns the number of hits.
fn rays_agree(pair: &Pair, ray: &Ray, max: f32) -> usize {
    let [terrain, mesh] = pair.each(|world| world.cast_ray(ray, max, &Filter::ALL));
    assert_eq!(terrain, mesh, "{ray:?}");
    let [any, _] = pair.each(|world| world.any_ray_hit(ray, max, &Filter::ALL));
    assert_eq!(any, terrain.is_some());
    let [all, all_of_mesh] = pair.each(|world| {
        let mut hits = vec![];
        world.cast_ray_all(ray, max, &Filter::ALL, &mut hits);
        hits
    });
    assert_eq!(all, all_of_mesh, "{ray:?}");
    all.len()
}

#[test]
fn rays_and_segments_meet_the_same_triangles() {
    for sides in [Sides::Both, Sides::Front] {
        let mut hits = 0;
        each_pair(sides, |pair, _, rng, middle| {
            for _ in 0..300 {
                let (from, to) = (middle + vector(rng, 12.0), middle + vector(rng, 6.0));
                let ray = Ray::new(from, to - from).unwrap();
                hits += rays_agree(pair, &ray, if rng.bool() { f32::INFINITY } else { from.distance(to) });
                let segment = Segment::between(from, to).unwrap();
                let [terrain, mesh] = pair.each(|world| world.cast_segment(&segment, &Filter::ALL));
                assert_eq!(terrain, mesh);
            }
        });
        assert!(hits > 1_000, "{hits}");
    }
}

#[test]
fn rays_along_borders_of_cells_and_at_vertices_meet_the_same_triangles() {
    let mut hits = 0;
    each_pair(Sides::Both, |pair, placed, rng, _| {
        let terrain = placed.terrain();
        for _ in 0..200 {
            let count = terrain.len() as u32;
            let corner = |rng: &mut Rng| {
                let triangle = placed.triangle(rng.u32(0..count));
                triangle.map_or(placed.aabb().center(), |triangle| triangle.points()[rng.usize(0..3)])
            };
            let (here, there) = (corner(rng), corner(rng));
            let steep = here + Vec3::Y * [5.0, -5.0][rng.usize(0..2)];
            let level = here + [Vec3::X, Vec3::Z, Vec3::new(1.0, 0.0, 1.0)][rng.usize(0..3)] * -20.0;
            // Down on a vertex; level along columns, rows and diagonals; from vertex to vertex; grazing; from far away.
            let graze = there + Vec3::Y * 1e-6;
            for (from, to) in [(steep, here), (level, here), (here, there), (here, graze), (here * 1e5, here)] {
                if let Ok(ray) = Ray::new(from, to - from) {
                    hits += rays_agree(pair, &ray, f32::INFINITY);
                }
            }
        }
    });
    assert!(hits > 10_000, "{hits}");
}

#[test]
fn heights_are_where_a_ray_from_above_meets_the_surface() {
    let mut rng = Rng::with_seed(SEED);
    let (mut met, mut holes) = (0, 0);
    for (columns, rows) in SIZES {
        let terrain = field(&mut rng, columns, rows);
        let mut world = World::new();
        world.insert(Object::fixed(terrain.clone()));
        let aabb = terrain.aabb();
        for round in 0..2000 {
            let mut share = || 1.1 * rng.f32() - 0.05;
            let place = aabb.min() + aabb.size() * Vec3::new(share(), 0.0, share());
            let sample = terrain.vertex(rng.u32(0..columns), rng.u32(0..rows)).unwrap();
            let [x, z] = match round % 4 {
                0 => [sample.x, sample.z],
                1 => [place.x, sample.z],
                2 => [sample.x, place.z],
                _ => [place.x, place.z],
            };
            let down = Ray::new(Vec3::new(x, 8.0, z), Vec3::NEG_Y).unwrap();
            let hit = world.cast_ray(&down, f32::INFINITY, &Filter::ALL);
            let height = terrain.height_at(x, z);
            assert_eq!(height.is_some(), hit.is_some(), "{x} {z}");
            let (Some(height), Some(hit)) = (height, hit) else {
                holes += 1;
                continue;
            };
            assert!((height - hit.point.y).abs() <= 1e-6, "{height} and {}", hit.point.y);
            if round % 4 == 0 {
                assert_eq!(height.to_bits(), sample.y.to_bits(), "{sample}");
            }
            met += 1;
        }
    }
    assert!(met > 10_000 && holes > 1_500, "{met} {holes}");
    let flat = Terrain::new(2, 2, &[1.0; 4], Vec2::ONE, Vec2::ZERO).unwrap();
    for (x, z) in [(f32::NAN, 0.5), (0.5, f32::NAN), (f32::INFINITY, 0.5), (0.5, f32::NEG_INFINITY), (1.0001, 0.5)] {
        assert_eq!(flat.height_at(x, z), None, "{x} {z}");
    }
    assert_eq!(flat.height_at(-0.0, 1.0), Some(1.0));
}

#[test]
fn grids_that_rounding_distorts_answer_as_their_triangles() {
    let mut rng = Rng::with_seed(SEED);
    // Columns far from the origin that coincide; a spacing far below any other; heights far above it.
    let far = 0.9 * (1u32 << 28) as f32;
    let grids = [
        (Vec2::new(0.3, 0.3), Vec2::new(far, -far), 1.0),
        (Vec2::new(5.0, 9.0), Vec2::new(far, far), 1e8),
        (Vec2::splat(1e-30), Vec2::ZERO, 1.0),
        (Vec2::new(1e-6, 1e6), Vec2::ZERO, 1e8),
        (Vec2::new(0.1, 0.1), Vec2::new(1e4 + 0.3, -3e5), 1e-3),
    ];
    let mut hits = 0;
    for (spacing, origin, height) in grids {
        let heights: Vec<f32> = (0..900).map(|_| height * (rng.f32() - 0.5)).collect();
        let terrain = Terrain::new(30, 30, &heights, spacing, origin).unwrap();
        let pair = Pair::new(&terrain.clone().into());
        let aabb = pair.terrain.object(pair.key).unwrap().shape.aabb();
        for number in 0..900 {
            // The height of one of the samples that coincide there.
            let Vec3 { x, z, .. } = terrain.vertex(number % 30, number / 30).unwrap();
            let height = terrain.height_at(x, z).unwrap();
            assert!(heights.iter().any(|other| other.to_bits() == height.to_bits()), "{height}");
        }
        for _ in 0..500 {
            let mut point = || {
                let share = Vec3::from([0; 3].map(|_| 3.0 * rng.f32() - 1.0));
                aabb.min() + aabb.size() * share
            };
            let (from, to) = (point(), point());
            if let Ok(ray) = Ray::new(from, to - from) {
                hits += rays_agree(&pair, &ray, f32::INFINITY);
            }
            if let Ok(ray) = Ray::new(from, Vec3::NEG_Y) {
                hits += rays_agree(&pair, &ray, f32::INFINITY);
            }
        }
    }
    assert!(hits > 1_000, "{hits}");
}

#[test]
fn overlaps_and_nearest_points_are_those_of_the_triangles() {
    let mut touched = 0;
    each_pair(Sides::Both, |pair, _, rng, middle| {
        for _ in 0..100 {
            let (center, size) = (middle + vector(rng, 7.0), vector(rng, 1.0).abs());
            let turned = Obb::new(center, Quat::from_rotation_y(rng.f32()), size).unwrap();
            let [terrain, mesh] = pair.each(|world| {
                let mut near = vec![];
                world.overlap(&turned, &Filter::ALL, &mut near);
                near
            });
            assert_eq!(terrain, mesh);
            touched += terrain.len();
            let ball = Sphere::new(center, size.x).unwrap();
            let [terrain, mesh] = pair.each(|world| {
                let mut near = vec![];
                world.overlap(&ball, &Filter::ALL, &mut near);
                near
            });
            assert_eq!(terrain, mesh);
            for distance in [f32::INFINITY, 2.0] {
                let [terrain, mesh] = pair.each(|world| {
                    let mut near = vec![];
                    world.nearest(center, distance, 1, &Filter::ALL, &mut near);
                    near
                });
                assert_eq!(terrain, mesh);
            }
        }
    });
    assert!(touched > 100, "{touched}");
}

#[test]
fn sweeps_of_boxes_balls_and_turning_boxes_stop_at_the_same_triangles() {
    for sides in [Sides::Both, Sides::Front] {
        let mut hits = 0;
        each_pair(sides, |pair, _, rng, middle| {
            for _ in 0..30 {
                let (center, motion) = (middle + vector(rng, 8.0), vector(rng, 12.0));
                let turn = Quat::from_rotation_z(6.0 * rng.f32());
                let body = Obb::new(center, turn, vector(rng, 0.5).abs()).unwrap();
                let sweep = BoxSweep::new(body, motion).unwrap();
                let [terrain, mesh] = pair.each(|world| world.sweep(&sweep, &Filter::ALL));
                assert_eq!(terrain, mesh);
                hits += usize::from(terrain.hit.is_some());
                let ball = SphereSweep::new(Sphere::new(center, 0.4 * rng.f32()).unwrap(), motion).unwrap();
                let [terrain, mesh] = pair.each(|world| world.sweep(&ball, &Filter::ALL));
                assert_eq!(terrain, mesh);
                let spin = sweep.rotating(vector(rng, 3.0)).unwrap();
                let [terrain, mesh] = pair.each(|world| world.sweep_turning(&spin, 1e-3, &Filter::ALL));
                assert_eq!(terrain, mesh);
            }
        });
        assert!(hits > 30, "{hits}");
    }
}

#[test]
fn slides_and_ways_out_are_the_same() {
    let mut contacts = 0;
    each_pair(Sides::Both, |pair, _, rng, middle| {
        for _ in 0..15 {
            let center = middle + vector(rng, 3.0);
            let body = Obb::new(center, Quat::IDENTITY, Vec3::splat(0.1) + vector(rng, 0.3).abs()).unwrap();
            let sweep = BoxSweep::new(body, vector(rng, 5.0)).unwrap();
            let [terrain, mesh] = pair.each(|world| world.slide(&sweep, &Filter::ALL, &SlideOptions::default()));
            assert_eq!(terrain, mesh);
            contacts += terrain.contacts.iter().count();
            let [terrain, mesh] = pair.each(|world| world.depenetrate(&body, &Filter::ALL));
            assert_eq!(terrain, mesh);
        }
    });
    assert!(contacts > 50, "{contacts}");
}

#[test]
fn steps_over_a_terrain_are_those_over_its_triangles() {
    let mut rng = Rng::with_seed(SEED);
    let mut pair = Pair::new(&field(&mut rng, 14, 25).into());
    let response = Response::Bounce { restitution: 0.2, friction: 0.6 };
    let ([mut terrain_boxes, mut mesh_boxes], mut bodies) = ([BoxStepper::new(), BoxStepper::new()], vec![]);
    for i in 0..20u8 {
        let at = Vec3::new(f32::from(i % 5) - 2.0, 3.0 + 0.1 * f32::from(i), f32::from(i / 5) - 2.0);
        let crate_ = Obb::new(at, Quat::from_rotation_x(f32::from(i)), Vec3::splat(0.25)).unwrap();
        let body = BoxBody { velocity: vector(&mut rng, 2.0), response, ..BoxBody::default() };
        let worlds = [(&mut pair.terrain, &mut terrain_boxes), (&mut pair.mesh, &mut mesh_boxes)];
        let [key, other] = worlds.map(|(world, boxes)| {
            let key = world.insert(Object::moving(crate_));
            boxes.insert(world, key, body).unwrap();
            key
        });
        assert_eq!(key, other);
        bodies.push(key);
    }
    let mut touching = 0;
    for step in 0..240 {
        let config = BoxStepConfig::default();
        terrain_boxes.step(&mut pair.terrain, 1.0 / 60.0, &config).unwrap();
        mesh_boxes.step(&mut pair.mesh, 1.0 / 60.0, &config).unwrap();
        for key in &bodies {
            let [terrain, mesh] = pair.each(|world| world.object(*key).map(|object| object.clone()));
            assert_eq!(terrain, mesh, "step {step}");
        }
        assert_eq!(terrain_boxes.contacts(), mesh_boxes.contacts());
        touching += terrain_boxes.contacts().len();
    }
    assert!(touching > 500, "{touching}");
}

#[test]
fn planes_and_frusta_tell_a_terrain_from_its_box() {
    let mut straddling = 0;
    each_pair(Sides::Both, |pair, _, rng, middle| {
        for _ in 0..50 {
            let (point, normal) = (middle + vector(rng, 6.0), vector(rng, 1.0));
            let normal = if rng.bool() { normal } else { Vec3::Y + 0.1 * normal };
            let plane = Plane::from_point_normal(point, normal).unwrap();
            let [terrain, mesh] = pair.each(|world| {
                let mut sides = vec![];
                world.for_each_side(&plane, &Filter::ALL, |key, _, side| sides.push((key, side)));
                sides
            });
            assert_eq!(terrain, mesh);
            straddling += usize::from(terrain[0].1 == cullide_world::narrowphase::Side::Straddling);
            let camera = Camera { position: point + vector(rng, 9.0), forward: vector(rng, 1.0), ..Camera::default() };
            let frustum = Frustum::from_camera(&camera).unwrap();
            let [terrain, mesh] = pair.each(|world| {
                let mut visible = vec![];
                world.cull(&frustum, &Filter::ALL, &mut visible);
                visible
            });
            assert_eq!(terrain, mesh);
        }
    });
    assert!((200..800).contains(&straddling), "{straddling}");
}

/// T4, rapier #165: rays straight down on samples and on borders of cells of a height field hit it.
#[test]
fn t4_rays_straight_down_on_the_columns_of_a_field_hit_it() {
    let height = |i: u16, j: u16| {
        let is_rim = i == 0 || j == 0 || i == 20 || j == 20;
        if is_rim { 10.0 } else { (5.0 * f32::from(i)).sin() + (5.0 * f32::from(j)).cos() }
    };
    let heights: Vec<f32> = (0..441u16).map(|k| height(k % 21, k / 21)).collect();
    let field = Terrain::new(21, 21, &heights, Vec2::splat(5.0), Vec2::ZERO).unwrap();
    for diagonal in [Diagonal::Descending, Diagonal::Ascending] {
        let mut field = field.clone();
        field.set_diagonal(0..20, 0..20, diagonal).unwrap();
        let pair = Pair::new(&field.into());
        let points = [(5.0, 2.63113), (9.50162, 5.0), (10.0, 5.26226), (19.00324, 10.0), (30.0, 15.78678)];
        for (x, z) in points {
            let down = Ray::new(Vec3::new(x, 10.0, z), Vec3::NEG_Y).unwrap();
            assert!(rays_agree(&pair, &down, f32::INFINITY) >= 1, "{x} {z}");
        }
        for i in 1..20u8 {
            for j in 1..20u8 {
                let at = Vec3::new(5.0 * f32::from(i), 20.0, 5.0 * f32::from(j));
                let hit = pair.terrain.cast_ray(&Ray::new(at, Vec3::NEG_Y).unwrap(), f32::INFINITY, &Filter::ALL);
                assert_eq!(hit.unwrap().point.y, height(i.into(), j.into()));
            }
        }
    }
}

/// T17, rapier #182: tiles of 16 m give the same answers as one large height field, bit for bit.
#[test]
fn t17_tiles_give_the_bits_of_one_large_field() {
    let mut rng = Rng::with_seed(SEED);
    let (spacing, origin) = (Vec2::new(0.5, 0.25), Vec2::new(-1000.0, 123.5));
    let heights: Vec<f32> = (0..97 * 129).map(|_| rng.f32()).collect();
    let whole = Terrain::new(97, 129, &heights, spacing, origin).unwrap();
    let [mut one, mut tiles] = [World::new(), World::new()];
    one.insert(Object::fixed(&whole));
    for tile in 0..6u32 {
        let (column, row) = (tile % 3 * 32, tile / 3 * 64);
        let part: Vec<f32> =
            (0..65 * 33u32).map(|i| heights[((row + i / 33) * 97 + column + i % 33) as usize]).collect();
        let corner = whole.vertex(column, row).unwrap();
        let tile = Terrain::new(33, 65, &part, spacing, Vec2::new(corner.x, corner.z)).unwrap();
        for (column, row, i, j) in [(column, row, 0, 0), (column + 32, row + 64, 32, 64), (column + 7, row + 9, 7, 9)] {
            assert_eq!(tile.vertex(i, j), whole.vertex(column, row));
        }
        tiles.insert(Object::fixed(tile));
    }
    let mut hits = 0;
    for i in 0..3_000 {
        let seam = Vec3::new([16.0, 32.0][i % 2], 0.0, 16.0) * [Vec3::X, Vec3::Z, Vec3::ONE][i % 3];
        let away =
            |rng: &mut Rng| Vec3::new(48.0 * rng.f32(), 0.0, 32.0 * rng.f32()) * Vec3::from(seam.cmpeq(Vec3::ZERO));
        let corner = Vec3::new(origin.x, 0.0, origin.y) + seam;
        let (from, to) = (corner + away(&mut rng) + Vec3::Y * 4.0 * rng.f32(), corner + away(&mut rng));
        let Ok(ray) = Ray::new(from, to - from + Vec3::NEG_Y * 0.25) else { continue };
        let [a, b] = [&one, &tiles].map(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
        assert_eq!(a.map(|hit| (hit.distance, hit.point)), b.map(|hit| (hit.distance, hit.point)), "{ray:?}");
        hits += usize::from(a.is_some());
        let ball =
            SphereSweep::new(Sphere::new(from + Vec3::Y * 2.0, 0.5).unwrap(), to - from - Vec3::Y * 6.0).unwrap();
        let [a, b] = [&one, &tiles].map(|world| world.sweep(&ball, &Filter::ALL));
        assert_eq!((a.position, a.hit.map(|hit| hit.toi)), (b.position, b.hit.map(|hit| hit.toi)));
    }
    assert!(hits > 2_000, "{hits}");
}
