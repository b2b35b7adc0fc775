//! Two armies of 2,500 on a terrain of two million triangles with houses: they keep apart, aim, look and shoot; scouts
//! walk, a way is found, and what a mouse drags a frame around is selected.
//!
//! `cargo run --release -p games --bin armies` draws the field from above, with the way, to `target/armies.png`.

use cullide_scenes::Rng;
use cullide_world::{
    Character, Compound, Filter, Mover, Object, ObjectKey, Shape, Target, Terrain, World,
    glam::{Quat, Vec2, Vec3},
    narrowphase::{Aabb, Camera, Capsule, Frustum, Ray, Segment, Sides, Sphere, SphereSweep},
};
use std::collections::{BinaryHeap, HashMap};
use std::{cmp::Reverse, error::Error, f32::consts::TAU};
use tiny_skia::{Color, FillRule, Paint, PathBuilder, Pixmap, PremultipliedColorU8, Stroke, Transform};

const FILE: &str = "target/armies.png";
const TERRAIN: u32 = 1 << 0;
const HOUSES: u32 = 1 << 1;
const RED: u32 = 1 << 2;
const BLUE: u32 = 1 << 3;
const SOLID: Filter = Filter::layers(TERRAIN | HOUSES);
const UNITS: usize = 5000;
/// Samples along a side of the terrain, one metre apart.
const SIDE: u16 = 1024;
const FRAMES: usize = 60;
const DT: f32 = 1.0 / 30.0;
/// From the ground to the middle of a unit.
const MIDDLE: Vec3 = Vec3::new(0.0, 0.9, 0.0);
/// The cosine of the steepest slope that a way may cross.
const STEEPEST: f32 = 0.86;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

struct Unit {
    key: ObjectKey,
    at: Vec3,
    velocity: Vec3,
    team: u32,
}

struct Shot {
    ball: Sphere,
    velocity: Vec3,
    /// The layers of what it may hit.
    targets: u32,
}

fn main() -> Outcome {
    let mut rng = Rng::with_seed(7);
    let (terrain, mut world) = (terrain()?, World::new());
    world.insert(Object::fixed(&terrain).layers(TERRAIN));
    let houses = build(&mut world, &terrain, &mut rng)?;
    let mut units = recruit(&mut world, &terrain, &mut rng)?;
    let mut scouts = vec![];
    while scouts.len() < 100 {
        let body = body(ground(&terrain, 60.0 + 900.0 * rng.f32(), 60.0 + 900.0 * rng.f32())? + Vec3::Y * 0.5)?;
        if !world.any_overlap(&body, &SOLID) {
            scouts.push(Character::new(body));
        }
    }
    let (mut shots, mut struck, mut targets, mut seen) = (vec![], 0, 0, 0);
    for frame in 0..FRAMES {
        march(&mut world, &terrain, &mut units)?;
        let aims = aim(&world, &units);
        targets += aims.iter().flatten().count();
        seen += look(&world, &units, frame)?;
        for (unit, aim) in units.iter().zip(&aims).skip(frame % 10).step_by(10) {
            let Some(aim) = aim else { continue };
            let targets = TERRAIN | HOUSES | (RED | BLUE) ^ unit.team;
            shots.push(Shot { ball: Sphere::new(unit.at, 0.1)?, velocity: aim * 60.0, targets });
        }
        struck += fly(&world, &mut shots)?;
        for scout in &mut scouts {
            let falling = scout.velocity - Vec3::Y * 9.81 * DT;
            scout.velocity = if scout.is_on_ground() { Vec3::new(3.0, 0.0, 1.0) } else { falling };
            Mover::default().walk(&world, scout, DT, &SOLID)?;
            assert_eq!(world.depenetrate(&scout.body, &SOLID), Some(scout.position()), "inside of something");
        }
    }
    let selected = select(&world, [Vec2::new(0.3, -0.3), Vec2::new(-0.3, 0.3)])?;
    let way = find_way(&world, &terrain, Vec2::splat(30.0), Vec2::new(900.0, 700.0)).ok_or("no way")?;
    draw(&world, &units, &way)?.save_png(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    println!("{houses} houses; {selected} units selected; a way of {} points; see {FILE}", way.len());
    println!("in {FRAMES} frames {targets} aims, {struck} struck, {seen} lines of sight");
    assert!(houses > 500 && selected > 0 && targets > 0 && struck > 0 && seen > 0);
    Ok(())
}

fn terrain() -> Outcome<Terrain> {
    let height = |i: u32| {
        let (x, z) = ((i % u32::from(SIDE)) as f32, (i / u32::from(SIDE)) as f32);
        let hills = 12.0 * (x * 0.011).sin() * (z * 0.013).cos() + 4.0 * (x * 0.041 + z * 0.02).sin();
        hills + 0.6 * (x * 0.21).cos() * (z * 0.19).sin()
    };
    let heights: Vec<f32> = (0..u32::from(SIDE).pow(2)).map(height).collect();
    Ok(Terrain::new(SIDE.into(), SIDE.into(), &heights, Vec2::ONE, Vec2::ZERO)?.with_sides(Sides::Front))
}

fn ground(terrain: &Terrain, x: f32, z: f32) -> Outcome<Vec3> {
    Ok(Vec3::new(x, terrain.height_at(x, z).ok_or("off the map")?, z))
}

fn body(ground: Vec3) -> Outcome<Capsule> {
    Ok(Capsule::from_half_axis(ground + MIDDLE, Vec3::Y * 0.5, 0.4)?)
}

/// Builds houses, of two wings and a tower, where it is nearly level and none stands; returns how many.
fn build(world: &mut World, terrain: &Terrain, rng: &mut Rng) -> Outcome<usize> {
    let house = Shape::from(Compound::new([
        Aabb::new(Vec3::new(-6.0, -2.0, -3.0), Vec3::new(6.0, 4.0, 3.0))?.into(),
        Aabb::new(Vec3::new(-6.0, -2.0, 3.0), Vec3::new(-1.0, 4.0, 9.0))?.into(),
        Capsule::new(Vec3::X * 4.0, Vec3::new(4.0, 9.0, 0.0), 2.0)?.into(),
    ])?);
    let before = world.len();
    for _ in 0..2000 {
        let at = ground(terrain, 12.0 + 1000.0 * rng.f32(), 12.0 + 1000.0 * rng.f32())?;
        let place = house.transformed(Quat::from_rotation_y(TAU * rng.f32()), at)?;
        let is_level = terrain.normal_at(at.x, at.z).is_some_and(|normal| normal.y > 0.97);
        if is_level && !world.any_overlap(&place, &Filter::layers(HOUSES)) {
            world.insert(Object::fixed(place).layers(HOUSES));
        }
    }
    Ok(world.len() - before)
}

fn recruit(world: &mut World, terrain: &Terrain, rng: &mut Rng) -> Outcome<Vec<Unit>> {
    let mut unit = |i: usize| {
        let (team, west, way) = if i.is_multiple_of(2) { (RED, 200.0, 3.0) } else { (BLUE, 450.0, -3.0) };
        let at = ground(terrain, west + 300.0 * rng.f32(), 200.0 + 600.0 * rng.f32())?;
        let key = world.insert(Object::moving(body(at)?).layers(team).user(i as u64));
        Ok(Unit { key, at: at + MIDDLE, velocity: Vec3::new(way, 0.0, rng.f32() - 0.5), team })
    };
    (0..UNITS).map(&mut unit).collect()
}

/// Moves all units on, and away from those nearer than 1.5 metres.
fn march(world: &mut World, terrain: &Terrain, units: &mut [Unit]) -> Outcome {
    let around = units.iter().map(|unit| Sphere::new(unit.at, 1.5));
    let (around, mut near) = (around.collect::<Result<Vec<_>, _>>()?, vec![]);
    world.overlap_batch(&around, &Filter::layers(RED | BLUE), &mut near);
    let place = |target: &Target| Some(units[world.object(target.object()?)?.user as usize].at);
    let push = |(unit, near): (&Unit, &Vec<_>)| {
        near.iter().filter_map(place).map(|other| (unit.at - other).normalize_or_zero()).sum::<Vec3>()
    };
    let pushes: Vec<Vec3> = units.iter().zip(&near).map(push).collect();
    for (unit, push) in units.iter_mut().zip(pushes) {
        let at = (unit.at + (unit.velocity + push) * DT).clamp(Vec3::splat(1.0), Vec3::splat(1020.0));
        unit.at = ground(terrain, at.x, at.z)? + MIDDLE;
    }
    let poses: Vec<_> = units.iter().map(|unit| (unit.key, Quat::IDENTITY, unit.at)).collect();
    world.set_transform_batch(&poses)?;
    Ok(())
}

/// The direction from each unit to the nearest enemy within 60 metres.
fn aim(world: &World, units: &[Unit]) -> Vec<Option<Vec3>> {
    let (places, mut near): (Vec<Vec3>, _) = (units.iter().map(|unit| unit.at).collect(), vec![]);
    let enemies: Vec<_> = units.iter().map(|unit| Filter::layers((RED | BLUE) ^ unit.team)).collect();
    world.nearest_batch(&places, 60.0, 1, &enemies, &mut near);
    near.iter().map(|near| near.first().map(|near| -near.normal)).collect()
}

/// Returns how many of 20,000 pairs of units see each other.
fn look(world: &World, units: &[Unit], frame: usize) -> Outcome<usize> {
    let eye = |i: usize| units[i % UNITS].at + Vec3::Y * 0.8;
    let lines = (0..20_000).map(|i| Segment::between(eye(i), eye(i * 7919 + frame + 1)));
    let (lines, mut hits) = (lines.collect::<Result<Vec<_>, _>>()?, vec![]);
    world.any_segment_hit_batch(&lines, &SOLID, &mut hits);
    Ok(hits.iter().filter(|is_hit| !**is_hit).count())
}

/// Moves all shots until they hit something, and returns how many units they struck.
fn fly(world: &World, shots: &mut Vec<Shot>) -> Outcome<usize> {
    let sweeps = shots.iter().map(|shot| SphereSweep::new(shot.ball, shot.velocity * DT));
    let filters: Vec<_> = shots.iter().map(|shot| Filter::layers(shot.targets)).collect();
    let (sweeps, mut swept) = (sweeps.collect::<Result<Vec<_>, _>>()?, vec![]);
    world.sweep_batch(&sweeps, &filters, &mut swept);
    let (mut struck, mut left) = (0, vec![]);
    for (mut shot, swept) in shots.drain(..).zip(&swept) {
        let target = swept.hit.and_then(|hit| world.object(hit.target.object()?));
        struck += usize::from(target.is_some_and(|object| object.layers & (RED | BLUE) != 0));
        if swept.hit.is_none() && swept.overlap.is_none() {
            (shot.ball, shot.velocity) = (Sphere::new(swept.position, 0.1)?, shot.velocity - Vec3::Y * 2.0 * DT);
            left.push(shot);
        }
    }
    *shots = left;
    Ok(struck)
}

/// Returns how many red units are in a frame that a mouse drags from one point of the picture to another.
fn select(world: &World, [from, to]: [Vec2; 2]) -> Outcome<usize> {
    let (position, forward) = (Vec3::new(450.0, 90.0, 650.0), Vec3::new(0.0, -0.8, -1.0));
    let camera = Camera { position, forward, far: 600.0, ..Camera::default() };
    let frustum = Frustum::from_camera_part(&camera, from, to)?;
    let mut selected = vec![];
    world.cull(&frustum, &Filter::layers(RED), &mut selected);
    Ok(selected.len())
}

/// Returns the shortest way over cells of four metres (A*), none of them steep or next to a house.
fn find_way(world: &World, terrain: &Terrain, from: Vec2, to: Vec2) -> Option<Vec<Vec2>> {
    let cell = |place: Vec2| ((place.x / 4.0) as i16, (place.y / 4.0) as i16);
    let place = |(x, z): (i16, i16)| Vec2::new(x.into(), z.into()) * 4.0 + 2.0;
    let is_free = |place: Vec2| {
        let is_level = terrain.normal_at(place.x, place.y).is_some_and(|normal| normal.y > STEEPEST);
        let ball = ground(terrain, place.x, place.y).and_then(|ground| Ok(Sphere::new(ground, 2.0)?));
        is_level && ball.is_ok_and(|ball| !world.any_overlap(&ball, &Filter::layers(HOUSES)))
    };
    let (start, goal) = (cell(from), cell(to));
    let (mut costs, mut open) = (HashMap::from([(start, (0.0, start))]), BinaryHeap::from([(Reverse(0), start)]));
    while let Some((_, at)) = open.pop() {
        if at == goal {
            let before = |cell: &(i16, i16)| (*cell != start).then(|| costs[cell].1);
            return Some(std::iter::successors(Some(goal), before).map(place).collect());
        }
        let beside = (-1..=1).flat_map(|x| (-1..=1).map(move |z| (at.0 + x, at.1 + z)));
        for next in beside.filter(|next| is_free(place(*next))) {
            let cost = costs[&at].0 + place(at).distance(place(next));
            if costs.get(&next).is_none_or(|(known, _)| cost < *known) {
                costs.insert(next, (cost, at));
                open.push((Reverse((1000.0 * (cost + place(next).distance(to))) as u64), next));
            }
        }
    }
    None
}

/// Draws the field as seen from above, by one ray per pixel, and the way.
fn draw(world: &World, units: &[Unit], way: &[Vec2]) -> Outcome<Pixmap> {
    let mut picture = Pixmap::new(SIDE.into(), SIDE.into()).ok_or("the picture is too large")?;
    let down = |i: usize| Ray::new(Vec3::new((i % 1024) as f32, 99.0, (i / 1024) as f32), Vec3::NEG_Y);
    let (rays, mut hits) = ((0..1024 * 1024).map(down).collect::<Result<Vec<_>, _>>()?, vec![]);
    world.cast_ray_batch(&rays, 200.0, &SOLID, &mut hits);
    for (pixel, hit) in picture.pixels_mut().iter_mut().zip(&hits) {
        let object = hit.and_then(|hit| world.object(hit.target.object()?));
        let is_house = object.is_some_and(|object| object.layers == HOUSES);
        let color = if is_house { Vec3::splat(0.5) } else { Vec3::new(0.7, 0.75, 0.5) };
        let light = hit.map_or(0.0, |hit| hit.normal.dot(Vec3::new(-0.5, 0.7, -0.5)).max(0.2));
        let [red, green, blue] = (color * light * 255.0).to_array().map(|channel| channel as u8);
        *pixel = PremultipliedColorU8::from_rgba(red, green, blue, 255).ok_or("an opaque colour")?;
    }
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    for (team, color) in [(RED, Color::from_rgba8(200, 0, 0, 255)), (BLUE, Color::from_rgba8(0, 0, 200, 255))] {
        let mut path = PathBuilder::new();
        units.iter().filter(|unit| unit.team == team).for_each(|unit| path.push_circle(unit.at.x, unit.at.z, 1.5));
        paint.set_color(color);
        let path = path.finish().ok_or("an empty team")?;
        picture.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }
    let mut path = PathBuilder::new();
    path.move_to(way[0].x, way[0].y);
    way.iter().for_each(|point| path.line_to(point.x, point.y));
    let (path, stroke) = (path.finish().ok_or("an empty way")?, Stroke { width: 3.0, ..Stroke::default() });
    picture.stroke_path(&path, &Paint::default(), &stroke, Transform::identity(), None);
    Ok(picture)
}
