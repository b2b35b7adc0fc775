//! Rollback between two peers, a third who joins, and a server that judges shots by what the shooters saw.
//!
//! `cargo run --release -p games --bin netcode`

use cullide_world::{
    Character, Compound, DynamicsConfig, Filter, Mover, Object, ObjectKey, RigidBody, Shape, Simulation,
    SimulationSnapshot, World,
    glam::{Quat, Vec3},
    narrowphase::{Aabb, Capsule, Obb, Ray, Sphere},
};
use std::{collections::VecDeque, error::Error};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;
type Game = Simulation<Capsule>;

const LEVEL: u32 = 1 << 0;
const HEROES: u32 = 1 << 1;
const PLAYERS: u32 = 1 << 2;
const DT: f32 = 1.0 / 60.0;
const FRAMES: usize = 600;
/// How many frames late the input of the other peer arrives.
const LATE: usize = 8;
/// How long ago a shooter saw what he shoots at, in seconds: between two frames.
const LAG: f32 = 0.13;
const SHOOTERS: usize = 64;

#[derive(Clone, Copy, Default, PartialEq)]
struct Input {
    x: i8,
    z: i8,
    jump: bool,
}

impl Input {
    /// What a player does in a frame.
    fn of(player: usize, frame: usize) -> Self {
        let way = ((frame / 23 + player * 5) * 2_654_435_761) % 9;
        Self { x: (way % 3) as i8 - 1, z: (way / 3) as i8 - 1, jump: frame % 97 == player * 40 }
    }
}

fn main() -> Outcome {
    let host = play()?;
    join(host)?;
    judge()
}

/// A hundred and fifty bodies, and eight characters, every other one of which obeys the same player.
fn new_game() -> Outcome<Game> {
    let mut game = Game::new(World::with_tag(1));
    let floor = Aabb::new(Vec3::new(-40.0, -1.0, -40.0), Vec3::new(40.0, 0.0, 40.0))?;
    game.world.insert(Object::fixed(floor).layers(LEVEL));
    for i in 0..150_u8 {
        let at = Vec3::new((i % 10).into(), (i / 50).into(), (i / 10 % 5).into()) * 1.1 + Vec3::new(-5.0, 0.6, -2.5);
        let shape: Shape = match i % 3 {
            0 => Sphere::new(at, 0.5)?.into(),
            1 => Capsule::from_half_axis(at, Vec3::Y * 0.2, 0.3)?.into(),
            _ => Obb::new(at, Quat::IDENTITY, Vec3::splat(0.5))?.into(),
        };
        let key = game.world.insert(Object::moving(shape).layers(LEVEL));
        game.dynamics.insert(&mut game.world, key, RigidBody { angular_damping: 0.5, ..RigidBody::dynamic() })?;
    }
    for i in 0..8_u8 {
        let at = Vec3::new(if i % 2 == 0 { -9.0 } else { 9.0 }, 0.91, 2.0 * f32::from(i) - 8.0);
        let body = Capsule::from_half_axis(at, Vec3::Y * 0.6, 0.3)?;
        let key = game.world.insert(Object::moving(body).layers(HEROES));
        game.dynamics.insert(&mut game.world, key, RigidBody::kinematic())?;
        let mut hero = Character::new(body);
        hero.object = Some(key);
        game.characters.push(hero);
    }
    Ok(game)
}

fn step(game: &mut Game, inputs: [Input; 2]) -> Outcome {
    let Game { world, dynamics, characters, .. } = game;
    for (hero, input) in characters.iter_mut().zip(inputs.into_iter().cycle()) {
        let wish = Vec3::new(input.x.into(), 0.0, input.z.into()) * 4.0;
        hero.velocity = match hero.is_on_ground() {
            true if input.jump => wish + Vec3::Y * 5.0,
            true => wish,
            false => hero.velocity - Vec3::Y * 9.81 * DT,
        };
        dynamics.walk(world, &Mover::default(), hero, DT, &Filter::layers(LEVEL))?;
        hero.place(world);
    }
    dynamics.step(world, DT, &DynamicsConfig::default())?;
    Ok(())
}

/// One of two peers: the game as it sees it, and as it was before each frame of which it only guesses the inputs.
struct Peer {
    own: usize,
    now: Game,
    past: VecDeque<Game>,
    inputs: Vec<[Option<Input>; 2]>,
    /// The hashes of the games before the frames of which all is known.
    confirmed: Vec<u64>,
    rollbacks: usize,
}

impl Peer {
    /// The inputs of a frame; where one has not arrived, the last that has.
    fn guess(&self, frame: usize) -> [Input; 2] {
        [0, 1].map(|side| self.inputs[..=frame].iter().rev().find_map(|inputs| inputs[side]).unwrap_or_default())
    }

    fn frame(&mut self, frame: usize) -> Outcome {
        let (own, other) = (self.own, 1 - self.own);
        self.inputs.push([None; 2]);
        self.inputs[frame][own] = Some(Input::of(own, frame));
        if let Some(late) = frame.checked_sub(LATE) {
            let (guessed, input) = (self.guess(late)[other], Input::of(other, late));
            self.inputs[late][other] = Some(input);
            if guessed != input {
                self.rollbacks += 1;
                self.now = self.past[0].clone();
                self.past.clear();
                (late..frame).try_for_each(|again| self.advance(again))?;
            }
            self.past.pop_front();
            self.confirmed.push(self.past[0].hash());
        }
        self.advance(frame)
    }

    fn advance(&mut self, frame: usize) -> Outcome {
        self.past.push_back(self.now.clone());
        let inputs = self.guess(frame);
        step(&mut self.now, inputs)
    }
}

/// Two peers play, and confirm the same frames; returns the game of one of them.
fn play() -> Outcome<Game> {
    let now = new_game()?;
    let peer = |own| Peer { own, now: now.clone(), past: [].into(), inputs: vec![], confirmed: vec![], rollbacks: 0 };
    let [mut first, mut second] = [0, 1].map(peer);
    for frame in 0..FRAMES {
        first.frame(frame)?;
        second.frame(frame)?;
    }
    println!("{} frames confirmed after {} rollbacks each", first.confirmed.len(), first.rollbacks);
    assert!(first.confirmed == second.confirmed && first.rollbacks > 10 && second.rollbacks > 10);
    Ok(first.now)
}

fn load(bytes: &[u8]) -> Outcome<Game> {
    Ok(Game::restore(&postcard::from_bytes::<SimulationSnapshot<Capsule>>(bytes)?)?)
}

/// A guest loads the game of the host, and both go on alike. Bytes with an error in them are refused, or are a game.
fn join(mut host: Game) -> Outcome {
    let bytes = postcard::to_allocvec(&host.snapshot()?)?;
    let mut guest = load(&bytes)?;
    for frame in 0..300 {
        let inputs = [0, 1].map(|player| Input::of(player, frame));
        step(&mut host, inputs)?;
        step(&mut guest, inputs)?;
        assert_eq!(host.hash(), guest.hash(), "diverged after {frame} frames");
    }
    let mut refused = 0;
    for at in (0..bytes.len()).step_by(bytes.len() / 400) {
        let mut broken = bytes.clone();
        broken[at] ^= 0x10;
        match load(&broken) {
            Ok(mut game) => step(&mut game, Default::default())?,
            Err(_) => refused += 1,
        }
    }
    println!("joined by {} bytes, and in step for 300 frames; {refused} of 400 wrong bytes are refused", bytes.len());
    Ok(())
}

/// A body with six parts, whose surfaces tell which of them was hit, leaning forward by an angle.
fn player(lean: f32) -> Outcome<Compound> {
    let limb = |from: [f32; 3], to: [f32; 3], radius| Capsule::new(from.into(), to.into(), radius).map(Shape::from);
    let parts = [
        Sphere::new(Vec3::Y * 1.65, 0.15)?.into(),
        limb([0.0, 0.9, 0.0], [0.0, 1.35, 0.0], 0.22)?,
        limb([-0.3, 1.4, 0.0], [-0.35, 0.8, 0.0], 0.08)?,
        limb([0.3, 1.4, 0.0], [0.35, 0.8, 0.0], 0.08)?,
        limb([-0.12, 0.8, 0.0], [-0.12, 0.1, 0.0], 0.1)?,
        limb([0.12, 0.8, 0.0], [0.12, 0.1, 0.0], 0.1)?,
    ];
    let lean = Quat::from_rotation_x(lean);
    let parts = parts.iter().map(|part| part.transformed(lean, Vec3::ZERO)).collect::<Result<Vec<_>, _>>()?;
    Ok(Compound::new(parts)?.with_surfaces(&[1, 2, 3, 3, 4, 4])?)
}

/// Where a player is at a time.
fn pose(number: usize, time: f32) -> (Quat, Vec3) {
    let (angle, radius) = (number as f32 * 0.7 + time * 0.4, 20.0 + number as f32 * 0.6);
    (Quat::from_rotation_y(-angle), Vec3::new(190.0 + radius * angle.cos(), 0.0, 190.0 + radius * angle.sin()))
}

/// A town in which each of 64 players shoots, in each frame, at another where the shooter saw that one a while ago.
fn judge() -> Outcome {
    let mut world = World::new();
    for i in 0..1000_u16 {
        let at = Vec3::new((i % 32).into(), 0.0, (i / 32).into()) * 12.0;
        let house = Aabb::new(at, at + Vec3::new(3.0, 4.0 + f32::from(i % 5), 3.0))?;
        world.insert(Object::fixed(house).layers(LEVEL));
    }
    let standing = Object::moving(player(0.0)?).layers(PLAYERS);
    let keys = world.insert_batch((0..200).map(|_| standing.clone()));
    let mut history = VecDeque::new();
    let (mut shots, mut rounded, mut exact) = (0, 0, 0);
    for frame in 0..120_u8 {
        let time = f32::from(frame) * DT;
        let poses = (0..).zip(&keys).map(|(i, key)| (*key, pose(i, time).0, pose(i, time).1));
        world.set_transform_batch(&poses.collect::<Vec<_>>())?;
        history.push_front(world.clone());
        history.truncate(10);
        let (back, share) = ((LAG / DT) as usize, (LAG / DT).fract());
        let (Some(newer), Some(older)) = (history.get(back), history.get(back + 1)) else { continue };
        // As it was between two frames, with all players in between.
        let between = |key: &ObjectKey| {
            let [newer, older] = [newer.object(*key)?.transform(), older.object(*key)?.transform()];
            Some((*key, newer.0.slerp(older.0, share), newer.1.lerp(older.1, share)))
        };
        let mut seen = newer.clone();
        seen.set_transform_batch(&keys.iter().filter_map(between).collect::<Vec<_>>())?;
        for shooter in 0..SHOOTERS {
            let target = (shooter * 37 + usize::from(frame) + 5) % keys.len();
            let eye = pose(shooter, time).1 + Vec3::Y * 1.6;
            let aim = Ray::new(eye, pose(target, time - LAG).1 + Vec3::Y * 1.2 - eye);
            let (Ok(aim), others) = (aim, Filter::ALL.without(&[keys[shooter]])) else { continue };
            let hits = |world: &World| {
                world.cast_ray(&aim, 500.0, &others).is_some_and(|hit| hit.target == keys[target].into())
            };
            shots += 1;
            rounded += usize::from(hits(if share < 0.5 { newer } else { older }));
            exact += usize::from(hits(&seen));
        }
    }
    println!("of {shots} shots, {exact} hit in the town as it was seen, {rounded} in that of the nearest frame");
    assert!(exact > 100 && rounded > 100 && exact.abs_diff(rounded) < shots / 10);

    // What is animated gets another shape where it is.
    for (i, key) in keys.iter().enumerate() {
        let mut object = world.object_mut(*key).ok_or("no player")?;
        let before = object.as_ref().transform();
        object.set_model(player(0.01 * i as f32)?)?;
        assert_eq!(object.as_ref().transform(), before);
    }
    Ok(())
}
