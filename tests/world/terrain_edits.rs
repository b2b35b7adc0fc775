//! Terrains hold what they were given, however it was set: heights, holes, errors, edits in worlds, saved bytes.

use cullide_scenes::{Rng, SEED};
use cullide_world::{
    BoxBody, BoxStepConfig, BoxStepper, Diagonal, Filter, Object, PlacedTerrain, Response, Snapshot, Terrain,
    TerrainError, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Error, Ray, Sides, Sphere},
};

fn flat(columns: u32, rows: u32) -> Terrain {
    Terrain::new(columns, rows, &vec![0.0; (columns * rows) as usize], Vec2::ONE, Vec2::ZERO).unwrap()
}

fn down(x: f32, z: f32) -> Ray {
    Ray::new(Vec3::new(x, 100.0, z), Vec3::NEG_Y).unwrap()
}

#[test]
fn t16_heights_are_read_back_bit_for_bit() {
    let mut rng = Rng::with_seed(SEED);
    let mut any = || loop {
        let height = f32::from_bits(rng.u32(..));
        if height.abs() <= (1u32 << 28) as f32 {
            return height;
        }
    };
    for (columns, rows) in [(2, 2), (2, 200), (37, 3), (50, 41)] {
        let mut heights: Vec<f32> = (0..columns * rows).map(|_| any()).collect();
        heights[1] = -0.0;
        heights[2] = f32::from_bits(1);
        let mut terrain = Terrain::new(columns, rows, &heights, Vec2::ONE, Vec2::ZERO).unwrap();
        let read = |terrain: &Terrain| -> Vec<u32> {
            let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
            places.map(|(column, row)| terrain.height(column, row).unwrap().to_bits()).collect()
        };
        assert_eq!(read(&terrain), heights.iter().map(|height| height.to_bits()).collect::<Vec<_>>());
        assert_eq!((terrain.height(columns, 0), terrain.height(0, rows)), (None, None));
        terrain.edit(1..2, 0..rows, &vec![-0.0; rows as usize]).unwrap();
        (0..rows).for_each(|row| heights[(row * columns + 1) as usize] = -0.0);
        assert_eq!(read(&terrain), heights.iter().map(|height| height.to_bits()).collect::<Vec<_>>());
    }
}

#[test]
fn t18_an_edited_terrain_is_one_that_was_built_so() {
    let mut rng = Rng::with_seed(SEED);
    for (columns, rows) in [(2, 2), (90, 2), (20, 20), (70, 83)] {
        let (spacing, origin) = (Vec2::new(0.5, 2.0), Vec2::new(3.0, -7.0));
        let mut heights: Vec<f32> = (0..columns * rows).map(|_| rng.f32()).collect();
        let mut cells = vec![(false, Diagonal::Descending, 0u16); ((columns - 1) * (rows - 1)) as usize];
        let mut edited = Terrain::new(columns, rows, &heights, spacing, origin).unwrap();
        let mut world = World::with_tag(1);
        let key = world.insert(Object::fixed(&edited));
        for round in 0..60 {
            let before = edited.clone();
            let mut range = |count: u32| {
                let start = rng.u32(0..count);
                start..rng.u32(start + 1..=count.min(start + 17))
            };
            let (c, r) = (range(columns), range(rows));
            let (cell_c, cell_r) = (range(columns - 1), range(rows - 1));
            // Sometimes high, then low again: the height bounds of blocks grow and shrink.
            let height = [1.0, 50.0, 0.0][round % 3];
            let new: Vec<f32> = (0..c.len() * r.len()).map(|_| height * (rng.f32() - 0.5)).collect();
            let surface = rng.u16(..);
            let change = |terrain: &mut Terrain| {
                terrain.edit(c.clone(), r.clone(), &new).unwrap();
                let (c, r) = (cell_c.clone(), cell_r.clone());
                match round % 5 {
                    0 => terrain.dig(c, r),
                    1 => terrain.fill(c, r),
                    2 => terrain.set_diagonal(c, r, Diagonal::Ascending),
                    3 => terrain.set_diagonal(c, r, Diagonal::Descending),
                    _ => terrain.set_surface(c, r, surface),
                }
                .unwrap();
            };
            change(&mut edited);
            // From some round on the hash of each change is known.
            let hash = (round > 9).then(|| world.hash());
            world.object_mut(key).unwrap().edit_terrain(change).unwrap();
            assert!(hash.is_none_or(|hash| hash != world.hash()), "round {round}");
            let samples = r.flat_map(|row| c.clone().map(move |column| row * columns + column));
            samples.zip(&new).for_each(|(at, height)| heights[at as usize] = *height);
            for at in cell_r.flat_map(|row| cell_c.clone().map(move |column| row * (columns - 1) + column)) {
                let cell = &mut cells[at as usize];
                match round % 5 {
                    0 => cell.0 = true,
                    1 => cell.0 = false,
                    2 => cell.1 = Diagonal::Ascending,
                    3 => cell.1 = Diagonal::Descending,
                    _ => cell.2 = surface,
                }
            }
            assert_ne!(before, edited);
        }
        let mut built = Terrain::new(columns, rows, &heights, spacing, origin).unwrap();
        for (at, (is_hole, diagonal, surface)) in (0..).zip(cells) {
            let (column, row) = (at % (columns - 1), at / (columns - 1));
            built.set_surface(column..column + 1, row..row + 1, surface).unwrap();
            built.set_diagonal(column..column + 1, row..row + 1, diagonal).unwrap();
            if is_hole {
                built.dig(column..column + 1, row..row + 1).unwrap();
            }
        }
        assert_eq!(edited, built);
        assert_eq!(edited.aabb(), built.aabb());
        let bytes = |terrain: &Terrain| postcard::to_allocvec(terrain).unwrap();
        assert!(bytes(&edited) == bytes(&built));
        let mut other = World::with_tag(1);
        other.insert(Object::fixed(&built));
        assert!(world.hash() == other.hash() && world == other);
        for _ in 0..2_000 {
            let mut point = || {
                Vec3::new(3.0, 0.0, -7.0)
                    + Vec3::new(60.0, 40.0, 200.0) * Vec3::new(rng.f32(), rng.f32() - 0.5, rng.f32())
            };
            let (from, to) = (point(), point());
            let ray = Ray::new(from, to - from).unwrap();
            let [a, b] = [&world, &other].map(|world| world.cast_ray(&ray, f32::INFINITY, &Filter::ALL));
            assert_eq!(a, b);
        }
    }
}

#[test]
fn an_edit_is_not_seen_in_what_shared_the_terrain() {
    let mut terrain = flat(200, 200);
    let before = terrain.clone();
    let mut world = World::new();
    let key = world.insert(Object::fixed(&terrain));
    let branch = world.clone();
    terrain.edit(100..101, 100..101, &[5.0]).unwrap();
    world.object_mut(key).unwrap().edit_terrain(|terrain| terrain.edit(50..51, 50..51, &[7.0])).unwrap().unwrap();
    let height = |world: &World, x: f32| world.cast_ray(&down(x, x), f32::INFINITY, &Filter::ALL).unwrap().point.y;
    assert_eq!((height(&world, 50.0), height(&world, 100.0)), (7.0, 0.0));
    assert_eq!((height(&branch, 50.0), height(&branch, 100.0)), (0.0, 0.0));
    assert_eq!((before.height(100, 100), terrain.height(100, 100)), (Some(0.0), Some(5.0)));
    assert!(before == flat(200, 200) && before != terrain);
}

#[test]
fn holes_let_everything_through_until_they_are_filled() {
    let mut world = World::new();
    let key = world.insert(Object::fixed(flat(9, 9)));
    let ball = Sphere::new(Vec3::new(4.5, 0.0, 4.5), 0.4).unwrap();
    let touched = |world: &World| {
        let mut near = vec![];
        world.overlap(&ball, &Filter::ALL, &mut near);
        near.len()
    };
    world.object_mut(key).unwrap().edit_terrain(|terrain| terrain.dig(4..5, 4..5)).unwrap().unwrap();
    assert_eq!((world.any_ray_hit(&down(4.5, 4.5), 200.0, &Filter::ALL), touched(&world)), (false, 0));
    // The cells around it are solid: the borders belong to them.
    assert!(world.any_ray_hit(&down(4.0, 4.5), 200.0, &Filter::ALL));
    world.object_mut(key).unwrap().edit_terrain(|terrain| terrain.fill(0..8, 0..8)).unwrap().unwrap();
    assert_eq!((world.any_ray_hit(&down(4.5, 4.5), 200.0, &Filter::ALL), touched(&world)), (true, 1));
    world.object_mut(key).unwrap().edit_terrain(|terrain| terrain.dig(0..8, 0..8)).unwrap().unwrap();
    assert!(!world.any_ray_hit(&down(4.0, 4.0), 200.0, &Filter::ALL));
}

#[test]
fn hits_tell_the_half_and_the_surface_of_the_cell() {
    let mut terrain = flat(4, 3);
    terrain.set_surface(1..2, 1..2, 65_535).unwrap();
    // More surfaces than fit in a byte.
    let mut large = flat(300, 300);
    for row in 0..299 {
        large.set_surface(0..299, row..row + 1, row as u16 * 7).unwrap();
    }
    assert!((0..299).all(|row| large.surface(5, row) == Some(row as u16 * 7)));
    let mut world = World::new();
    let key = world.insert(Object::fixed(terrain));
    let told = |x: f32, z: f32| {
        let hit = world.cast_ray(&down(x, z), f32::INFINITY, &Filter::ALL).unwrap();
        (hit.part, hit.surface)
    };
    // Cell 4, cut from the next column to the next row, then along the other diagonal.
    assert_eq!((told(1.25, 1.25), told(1.75, 1.75)), ((8, 65_535), (9, 65_535)));
    assert_eq!((told(0.25, 1.25), told(2.25, 0.25)), ((6, 0), (4, 0)));
    world
        .object_mut(key)
        .unwrap()
        .edit_terrain(|terrain| terrain.set_diagonal(0..3, 0..2, Diagonal::Ascending))
        .unwrap()
        .unwrap();
    let told = |x: f32, z: f32| world.cast_ray(&down(x, z), f32::INFINITY, &Filter::ALL).unwrap().part;
    assert_eq!((told(1.25, 1.75), told(1.75, 1.25)), (8, 9));
}

#[test]
fn a_one_sided_terrain_is_met_from_above_alone() {
    for (sides, from_below) in [(Sides::Front, false), (Sides::Both, true)] {
        let terrain = flat(9, 9).with_sides(sides);
        let mut world = World::new();
        // Upside down, above is below.
        let turned = Quat::from_xyzw(1.0, 0.0, 0.0, 0.0);
        world.insert(Object::fixed(&terrain));
        world.insert(Object::fixed(PlacedTerrain::new(&terrain, turned, Vec3::new(20.0, 0.0, 8.0)).unwrap()));
        for (x, is_above) in [(4.3, true), (24.3, false)] {
            for (y, is_there) in [(2.0, is_above), (-2.0, !is_above)] {
                let ray = Ray::new(Vec3::new(x, y, 4.1), Vec3::Y * -y).unwrap();
                assert_eq!(world.any_ray_hit(&ray, 9.0, &Filter::ALL), is_there || from_below, "{x} {y}");
            }
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let new = |columns, rows, heights: &[f32]| Terrain::new(columns, rows, heights, Vec2::ONE, Vec2::ZERO);
    for (columns, rows) in [(0, 0), (1, 5), (5, 1), (u32::MAX, u32::MAX), (2, u32::MAX)] {
        assert_eq!(new(columns, rows, &[]), Err(TerrainError::Size { columns, rows }));
    }
    assert_eq!(new(2, 3, &[0.0; 5]), Err(TerrainError::Count { values: 5, expected: 6 }));
    let (non_finite, out) = (Error::NonFinite { field: "height" }, Error::OutOfRange { field: "height" });
    for (bad, error) in [(f32::NAN, non_finite), (f32::NEG_INFINITY, non_finite), (-3e8, out), (f32::MAX, out)] {
        let error = TerrainError::BadSample { column: 1, row: 2, error };
        assert_eq!(new(2, 3, &[0.0, 0.0, 0.0, 0.0, 0.0, bad]), Err(error));
        let mut terrain = flat(4, 4);
        assert_eq!(terrain.edit(0..2, 2..3, &[1.0, bad]), Err(error));
        assert_eq!(terrain, flat(4, 4));
        assert!(error.to_string().contains("column 1, row 2"));
    }
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY, 3e8] {
        for spacing in [Vec2::new(1.0, spacing), Vec2::new(spacing, 1.0)] {
            let found = Terrain::new(2, 2, &[0.0; 4], spacing, Vec2::ZERO);
            assert!(matches!(found, Err(TerrainError::BadGrid(_))), "{spacing}");
        }
    }
    for origin in [f32::NAN, 3e8, 2.68e8] {
        let found = Terrain::new(2, 2, &[0.0; 4], Vec2::splat(1e6), Vec2::new(0.0, origin));
        assert!(matches!(found, Err(TerrainError::BadGrid(_))), "{origin}");
    }
    let mut terrain = flat(4, 5);
    assert_eq!(terrain.edit(0..5, 0..1, &[0.0; 5]), Err(TerrainError::Outside));
    assert_eq!(terrain.edit(0..2, 0..2, &[0.0; 5]), Err(TerrainError::Count { values: 5, expected: 4 }));
    assert_eq!(terrain.dig(0..4, 0..1), Err(TerrainError::Outside));
    assert_eq!(terrain.set_surface(0..1, 4..5, 1), Err(TerrainError::Outside));
    // No samples and no cells.
    assert_eq!((terrain.edit(2..2, 0..3, &[]), terrain.dig(1..1, 4..4)), (Ok(()), Ok(())));
    #[expect(clippy::reversed_empty_ranges, reason = "a caller may")]
    let reversed = terrain.edit(3..1, 5..2, &[]);
    assert_eq!((reversed, &terrain), (Ok(()), &flat(4, 5)));
    // The largest coordinates, everywhere it may be placed.
    let far = (1u32 << 28) as f32;
    let large = Terrain::new(2, 2, &[far, -far, far, -far], Vec2::splat(far), Vec2::ZERO).unwrap();
    for turn in [Quat::IDENTITY, Quat::from_xyzw(0.3, 0.9, -0.2, 0.4)] {
        assert!(PlacedTerrain::new(&large, turn, Vec3::new(2.0, -2.0, 2.0) * far).is_ok());
        let beyond = PlacedTerrain::new(&large, turn, Vec3::X * 2.1 * far);
        assert_eq!(beyond, Err(Error::OutOfRange { field: "translation" }));
    }
}

#[test]
fn a_body_at_rest_falls_when_its_ground_is_dug_away() {
    let (mut world, mut boxes) = (World::new(), BoxStepper::new());
    let key = world.insert(Object::fixed(flat(17, 17)));
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * 2.0).unwrap();
    let crate_ = Aabb::new(Vec3::new(7.6, 2.5, 7.6), Vec3::new(8.4, 3.3, 8.4)).unwrap();
    let crate_ = world.insert(Object::moving(crate_));
    boxes.insert(&mut world, crate_, BoxBody { response: Response::Stop, ..BoxBody::default() }).unwrap();
    let low = |world: &World| world.object(crate_).unwrap().shape.aabb().min().y;
    let mut steps = |world: &mut World, count: usize| {
        (0..count).for_each(|_| _ = boxes.step(world, 1.0 / 60.0, &BoxStepConfig::default()).unwrap());
        low(world)
    };
    let rested = steps(&mut world, 120);
    assert!((rested - 2.0).abs() < 0.01 && steps(&mut world, 10) == rested, "{rested}");
    world.object_mut(key).unwrap().edit_terrain(|terrain| terrain.edit(5..12, 5..12, &[-1.0; 49])).unwrap().unwrap();
    let fallen = steps(&mut world, 120);
    assert!((fallen - 1.0).abs() < 0.01, "{fallen}");
    // The pose is unchanged, and the edit moves with it.
    assert_eq!(world.object(key).map(|object| object.transform()), Some((Quat::IDENTITY, Vec3::Y * 2.0)));
    world.object_mut(key).unwrap().set_transform(Quat::IDENTITY, Vec3::Y * -3.0).unwrap();
    let hit = world.cast_ray(&down(6.5, 6.5), f32::INFINITY, &Filter::ALL).unwrap();
    assert_eq!((hit.target, hit.point.y), (key.into(), -4.0));
    assert_eq!(world.object_mut(crate_).and_then(|mut object| object.edit_terrain(|_| ())), None);
    world.remove(key);
    assert_eq!(world.object_mut(key).and_then(|mut object| object.edit_terrain(|_| ())), None);
}

#[test]
fn a_world_with_a_terrain_is_saved_hashed_and_drawn() {
    let mut rng = Rng::with_seed(SEED);
    let heights: Vec<f32> = (0..600).map(|_| rng.f32()).collect();
    let mut terrain = Terrain::new(20, 30, &heights, Vec2::new(0.5, 1.5), Vec2::ONE).unwrap().with_sides(Sides::Front);
    terrain.dig(3..5, 7..9).unwrap();
    terrain.set_diagonal(0..10, 0..2, Diagonal::Ascending).unwrap();
    for row in 0..29 {
        terrain.set_surface(row % 19..19, row..row + 1, 1_000 * row as u16).unwrap();
    }
    let mut world = World::new();
    let turned = Quat::from_xyzw(0.2, 0.5, 0.0, 1.0);
    let key = world.insert(Object::fixed(PlacedTerrain::new(&terrain, turned, Vec3::Y).unwrap()));
    let snapshot = world.snapshot();
    let text = serde_json::to_string(&snapshot).unwrap();
    let read = [
        serde_json::from_str(&text).unwrap(),
        postcard::from_bytes(&postcard::to_allocvec(&snapshot).unwrap()).unwrap(),
    ];
    for read in read {
        let mut restored = World::restore(&read).unwrap();
        assert_eq!(restored.object(key), world.object(key));
        assert!(restored == world && restored.hash() == world.hash());
        restored.object_mut(key).unwrap().edit_terrain(|terrain| terrain.edit(2..3, 2..3, &[9.0])).unwrap().unwrap();
        assert!(restored != world && restored.hash() != world.hash());
    }
    // Data that no terrain could have written is refused.
    for (from, to) in [
        ("\"columns\":20", "\"columns\":21"),
        ("\"spacing\":[0.5", "\"spacing\":[0.0"),
        ("\"cells\":[", "\"cells\":[[1,0,0],"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        assert!(serde_json::from_str::<Snapshot>(&changed).is_err(), "{to}");
    }
    let mut lines = 0;
    world.debug_draw(&cullide_world::DrawOptions::default(), &Filter::ALL, |_| lines += 1);
    assert_eq!(lines, 3 * (terrain.len() - 8));
}
