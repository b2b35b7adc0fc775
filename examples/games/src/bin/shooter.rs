//! A shooter: for a minute, a hero climbs stairs, crawls through a duct, jumps, and rides on a lift and a turntable, while
//! he shoots at soldiers and throws grenades.
//!
//! `cargo run --release -p games --bin shooter`

use cullide_world::{
    Character, Compound, Dynamics, DynamicsConfig, Filter, Material, Mover, Object, ObjectKey, RigidBody, Shape,
    Triggers, World, WorldPlane,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Hull, Plane, Ray, Segment, Sphere},
};
use std::{error::Error, f32::consts::TAU};

const LEVEL: u32 = 1 << 0;
const HERO: u32 = 1 << 1;
const SOLDIER: u32 = 1 << 2;
const GRENADE: u32 = 1 << 3;
const SOLID: Filter = Filter::layers(LEVEL);
/// The surfaces of a soldier.
const BODY: u16 = 1;
const HEAD: u16 = 2;
const DT: f32 = 1.0 / 60.0;
const TALL: f32 = 1.8;
const LIFT: Vec3 = Vec3::new(15.0, 0.1, 15.0);
const TABLE: Vec3 = Vec3::new(15.0, 0.1, 5.0);
/// From the throw of a grenade to its explosion, in seconds.
const FUSE: f32 = 3.0;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

#[derive(Clone, Copy, PartialEq)]
enum Act {
    Go(f32, f32),
    Crawl(f32, f32),
    Stand,
    Jump,
}

/// What the hero does until when, in seconds.
const SCRIPT: [(f32, Act); 9] = [
    (5.0, Act::Go(-6.9, 5.0)),
    (11.0, Act::Go(-17.0, -2.0)),
    (16.0, Act::Crawl(-8.0, -2.0)),
    (19.0, Act::Go(-10.5, -7.4)),
    (26.0, Act::Go(9.5, -7.4)),
    (30.0, Act::Jump),
    (36.0, Act::Go(LIFT.x, LIFT.z)),
    (46.0, Act::Stand),
    (51.0, Act::Go(TABLE.x, TABLE.z + 2.0)),
];

struct Game {
    world: World,
    dynamics: Dynamics,
    triggers: Triggers,
    hero: Character<Capsule>,
    lift: ObjectKey,
    table: ObjectKey,
    soldiers: Vec<ObjectKey>,
    grenades: Vec<(ObjectKey, f32)>,
    score: Score,
}

#[derive(Debug, Default)]
struct Score {
    /// How high the hero got.
    stairs: f32,
    jump: f32,
    crawled: f32,
    /// Soldiers hit in the body, and in the head.
    hits: [usize; 2],
    bounces: usize,
    blasted: usize,
    entered: usize,
    left: usize,
}

fn main() -> Outcome {
    let mut game = Game::new()?;
    for frame in 0..3600 {
        game.frame(frame)?;
    }
    let Score { stairs, jump, crawled, hits: [bodies, heads], bounces, blasted, entered, left } = game.score;
    println!("in a minute: {stairs:.2} m up the stairs, {crawled:.1} m through the duct, {jump:.2} m at a jump");
    println!("{heads} heads and {bodies} bodies shot, {blasted} soldiers in blasts; {bounces} bounces");
    assert!(stairs > 1.7 && jump > 1.2 && crawled > 6.0 && entered > 0 && entered == left);
    assert!(heads > 0 && bodies > 0 && blasted > 0 && bounces > 20);
    assert_eq!(game.hero.body.aabb().size().y, TALL);
    Ok(())
}

impl Game {
    fn new() -> Outcome<Self> {
        let (mut world, mut dynamics, mut triggers) = (World::new(), Dynamics::new(), Triggers::new());
        level(&mut world)?;
        let zone = Aabb::new(Vec3::new(-17.0, 0.0, -5.0), Vec3::new(-9.0, 3.0, 1.0))?;
        triggers.watch(world.insert(Object::fixed(zone).layers(0)), HERO | GRENADE);
        let mut add_kinematic = |shape: Shape, layers| -> Outcome<_> {
            let key = world.insert(Object::moving(shape).layers(layers));
            dynamics.insert(&mut world, key, RigidBody::kinematic())?;
            Ok(key)
        };
        let lift = add_kinematic(Aabb::from_center_half_extents(LIFT, Vec3::new(1.5, 0.1, 1.5))?.into(), LEVEL)?;
        let table = add_kinematic(Aabb::from_center_half_extents(TABLE, Vec3::new(3.0, 0.1, 3.0))?.into(), LEVEL)?;
        let foot = Vec3::new(-17.0, 1.0, 5.0);
        let mut hero = Character::new(Capsule::new(foot + Vec3::Y * 0.3, foot + Vec3::Y * (TALL - 0.3), 0.3)?);
        hero.object = Some(add_kinematic(hero.body.into(), HERO)?);
        let trunk = Capsule::new(Vec3::Y * 0.3, Vec3::Y * 1.2, 0.3)?;
        let soldier = Compound::new([trunk.into(), Sphere::new(Vec3::Y * 1.66, 0.16)?.into()])?;
        let soldier = Object::moving(soldier.with_surfaces(&[BODY, HEAD])?).layers(SOLDIER);
        let soldiers = world.insert_batch(std::iter::repeat_n(soldier, 6));
        let (grenades, score) = (vec![], Score::default());
        Ok(Self { world, dynamics, triggers, hero, lift, table, soldiers, grenades, score })
    }

    fn frame(&mut self, frame: u16) -> Outcome {
        let time = f32::from(frame) * DT;
        let act = SCRIPT.iter().find(|(until, _)| time < *until).map_or(Act::Stand, |(_, act)| *act);
        self.move_others(time)?;
        self.walk(time, act)?;
        self.triggers.update(&self.world, &Filter::ALL);
        self.score.entered += self.triggers.entered().len();
        self.score.left += self.triggers.left().len();
        if frame.is_multiple_of(30) {
            self.shoot(usize::from(frame / 30))?;
        }
        if frame.is_multiple_of(120) {
            self.throw(time)?;
        }
        self.explode(time)
    }

    /// Moves the platforms, the soldiers and the grenades.
    fn move_others(&mut self, time: f32) -> Outcome {
        let Self { world, dynamics, .. } = self;
        let (up, turn) = (Vec3::Y * (2.0 - 2.0 * (time - 36.0).max(0.0).cos()), Quat::from_rotation_y(0.8 * time));
        dynamics.body_mut(world, self.lift).ok_or("no lift")?.move_kinematic(Quat::IDENTITY, LIFT + up, DT)?;
        dynamics.body_mut(world, self.table).ok_or("no table")?.move_kinematic(turn, TABLE, DT)?;
        let turns = (0..6_u8).map(|i| Quat::from_rotation_y(0.3 * time + TAU * f32::from(i) / 6.0));
        let poses = self.soldiers.iter().zip(turns).map(|(key, turn)| (*key, turn, turn * Vec3::X * 8.0));
        world.set_transform_batch(&poses.collect::<Vec<_>>())?;
        let report = dynamics.step(world, DT, &DynamicsConfig::default())?;
        self.score.bounces += report.begun.len();
        for (grenade, _) in &self.grenades {
            let place = world.object(*grenade).ok_or("no grenade")?.transform().1;
            assert!(place.y >= 0.1, "a grenade is in the floor: {place}");
        }
        Ok(())
    }

    fn walk(&mut self, time: f32, act: Act) -> Outcome {
        let (hero, world, mover) = (&mut self.hero, &mut self.world, Mover::default());
        let height = if matches!(act, Act::Crawl(..)) { 1.0 } else { TALL };
        // He stays low while there is no room to stand up.
        hero.set_height(world, &mover, height, &SOLID)?;
        let before = hero.foot(&mover);
        let wish = match act {
            Act::Go(x, z) | Act::Crawl(x, z) => (Vec3::new(x, before.y, z) - before) / DT,
            Act::Stand | Act::Jump => Vec3::ZERO,
        };
        hero.velocity = match hero.is_on_ground() {
            true if act == Act::Jump => Vec3::Y * 5.0,
            true => wish.clamp_length_max(4.0),
            false => hero.velocity - Vec3::Y * 9.81 * DT,
        };
        let walk = self.dynamics.walk(world, &mover, hero, DT, &SOLID)?;
        hero.place(world);
        let (at, score) = (hero.foot(&mover), &mut self.score);
        assert!(walk.overlap.is_none() && at.y > -1e-3, "crushed or below the floor at {time}");
        assert!(at.distance(before) < 0.35, "from {before} to {at} at {time}");
        match act {
            Act::Go(..) if time < 5.0 => score.stairs = score.stairs.max(at.y),
            Act::Jump => score.jump = score.jump.max(at.y),
            Act::Crawl(..) if hero.body.aabb().size().y < TALL => score.crawled += at.distance(before),
            _ => {}
        }
        let ground = hero.ground.and_then(|ground| ground.target.object());
        if (36.5..46.0).contains(&time) {
            let gap = at.y - world.object(self.lift).ok_or("no lift")?.shape.aabb().max().y;
            assert!(ground == Some(self.lift) && gap.abs() < 1e-3, "not on the lift at {time}: {at}");
        }
        if (51.0..60.0).contains(&time) {
            let radius = (at - TABLE).with_y(0.0).length();
            assert!(ground == Some(self.table) && (radius - 2.0).abs() < 0.2, "not on the table at {time}: {at}");
        }
        Ok(())
    }

    /// Shoots at the head or the body of a soldier, in turn.
    fn shoot(&mut self, shot: usize) -> Outcome {
        let (target, aims_high) = (self.soldiers[shot % self.soldiers.len()], shot.is_multiple_of(2));
        let (_, place) = self.world.object(target).ok_or("no soldier")?.transform();
        let eye = self.hero.foot(&Mover::default()) + Vec3::Y * 1.6;
        let aim = Ray::new(eye, place + Vec3::Y * if aims_high { 1.66 } else { 0.8 } - eye)?;
        let hit = self.world.cast_ray(&aim, 200.0, &Filter::ALL.without(self.hero.object.as_slice()));
        let hit = hit.filter(|hit| hit.target == target.into());
        assert!(hit.is_none_or(|hit| (hit.surface == HEAD) == aims_high), "the wrong part of a soldier: {hit:?}");
        self.score.hits[usize::from(aims_high)] += usize::from(hit.is_some());
        Ok(())
    }

    fn throw(&mut self, time: f32) -> Outcome {
        let velocity = Quat::from_rotation_y(time) * Vec3::new(7.0, 5.0, 0.0);
        let ball = Sphere::new(self.hero.foot(&Mover::default()) + Vec3::Y * 1.5 + velocity * 0.08, 0.1)?;
        let key = self.world.insert(Object::moving(ball).layers(GRENADE));
        let material = Material { restitution: 0.5, rolling_resistance: 0.05, ..Material::default() };
        self.dynamics.insert(&mut self.world, key, RigidBody { velocity, material, ..RigidBody::dynamic() })?;
        self.grenades.push((key, time));
        Ok(())
    }

    /// Removes the grenades that explode now, and counts the soldiers in their line of sight.
    fn explode(&mut self, time: f32) -> Outcome {
        let world = &mut self.world;
        for (grenade, _) in self.grenades.extract_if(.., |(_, thrown)| time - *thrown >= FUSE) {
            let ((_, place), mut near) = (world.object(grenade).ok_or("no grenade")?.transform(), vec![]);
            world.overlap(&Sphere::new(place, 4.0)?, &Filter::layers(SOLDIER), &mut near);
            for soldier in near.iter().filter_map(|target| world.object(target.object()?)) {
                let sight = Segment::between(place, soldier.transform().1 + Vec3::Y)?;
                self.score.blasted += usize::from(!world.any_segment_hit(&sight, &SOLID));
            }
            world.remove(grenade);
        }
        Ok(())
    }
}

/// A yard with stairs, a duct and a ramp.
fn level(world: &mut World) -> Outcome {
    for normal in [Vec3::Y, Vec3::X, Vec3::NEG_X, Vec3::Z, Vec3::NEG_Z] {
        let plane = Plane::from_normal_distance(normal, if normal == Vec3::Y { 0.0 } else { -20.0 })?;
        world.insert_plane(WorldPlane::half_space(plane).layers(LEVEL));
    }
    let duct = ([-16.0, 1.2, -4.0], [-10.0, 1.6, 0.0]);
    let stairs = (1..7_u8).map(f32::from).map(|i| ([-15.0 + 0.6 * i, 0.0, 3.5], [-6.0, 0.3 * i, 6.5]));
    for (min, max) in stairs.chain([duct]) {
        world.insert(Object::fixed(Aabb::new(min.into(), max.into())?).layers(LEVEL));
    }
    // Up by 2 in 8, which is 14 degrees.
    let side = [Vec3::new(-8.0, 0.0, -9.0), Vec3::new(0.0, 0.0, -9.0), Vec3::new(0.0, 2.0, -9.0)];
    let ramp = Hull::new(&[side, side.map(|corner| corner + Vec3::Z * 3.0)].concat())?;
    world.insert(Object::fixed(ramp).layers(LEVEL));
    Ok(())
}
