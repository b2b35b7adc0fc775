//! Characters that walk.

use crate::{
    CullideDynamics, CullideFilter, CullidePose, CullideShape, CullideShapeHit, CullideSlideContact, CullideVec3,
    CullideWorld,
    key::{self, CULLIDE_NONE, CullideKey},
    memory::{fill, given, room},
    shape::placed,
    status::{CullideStatus, Failure, guard},
    values::filter,
};
use cullide_world::{
    Character, CharacterBody, Ground, Mover, MovingShape, ObjectKey, Shape, Walk, World,
    glam::Vec3,
    narrowphase::{Capsule, Obb, Sphere},
};
use std::mem::MaybeUninit;

/// A character: its shape, where it is, its velocity, and what it stands on. Nothing in the world meets it, unless it has
/// an object there.
#[derive(Debug)]
pub struct CullideCharacter {
    pub(crate) body: Walker,
    /// What happened in its last walk.
    pub(crate) walk: Walk,
}

/// A character by the kind of its body.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) enum Walker {
    Box(Character<Obb>),
    Ball(Character<Sphere>),
    Capsule(Character<Capsule>),
    Other(Character<MovingShape>),
}

macro_rules! each_kind {
    ($walker:expr, $character:ident => $does:expr) => {
        match $walker {
            Walker::Box($character) => $does,
            Walker::Ball($character) => $does,
            Walker::Capsule($character) => $does,
            Walker::Other($character) => $does,
        }
    };
}
pub(crate) use each_kind;

/// How characters walk.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CullideMover {
    /// The direction against gravity.
    pub up: CullideVec3,
    /// The highest step that it climbs, and the deepest that it descends without falling.
    pub step_height: f32,
    /// The steepest slope that carries, in radians from level, up to a right angle.
    pub max_slope: f32,
    /// In the air, how far below a floor may be to carry.
    pub landing: f32,
    /// The force with which it pushes the rigid bodies in its way, in newtons for metres and kilograms.
    pub push_force: f32,
}

/// What a character stands on.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideGround {
    /// The object or the plane; `CULLIDE_NONE` in the air, and then the rest is 0.
    pub target: CullideKey,
    /// The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    pub part: u32,
    /// The caller's number for that part, for example for the sound of footsteps.
    pub surface: u16,
    /// Its unit normal.
    pub normal: CullideVec3,
    /// How fast it moves where the character stands, in units per second.
    pub velocity: CullideVec3,
}

/// A character at one moment.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideCharacterState {
    /// The position of the pose of its shape.
    pub position: CullideVec3,
    /// In units per second; relative to what it stands on.
    pub velocity: CullideVec3,
    /// What it stands on.
    pub ground: CullideGround,
}

/// What happened in a walk.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullideWalk {
    /// The character after it.
    pub state: CullideCharacterState,
    /// How far a step raised it: a camera may want to lag by this much.
    pub stepped: f32,
    /// What it still penetrates, because there is no way out near by: it is crushed.
    pub overlap: CullideShapeHit,
    /// The wall in its way that it could not climb; `CULLIDE_NONE` if there was none.
    pub blocked_by: CullideKey,
    /// How high above its foot it could stand behind that wall; negative if it could not.
    pub blocked_height: f32,
}

/// A rigid body that a character pushed.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CullidePush {
    /// The body.
    pub body: CullideKey,
    /// Where it was pushed.
    pub point: CullideVec3,
    /// The force.
    pub force: CullideVec3,
}

impl From<Mover> for CullideMover {
    fn from(mover: Mover) -> Self {
        let Mover { up, step_height, max_slope, landing, push_force } = mover;
        Self { up: up.into(), step_height, max_slope, landing, push_force }
    }
}

impl From<CullideMover> for Mover {
    fn from(mover: CullideMover) -> Self {
        let CullideMover { up, step_height, max_slope, landing, push_force } = mover;
        Self { up: up.into(), step_height, max_slope, landing, push_force }
    }
}

impl From<Ground> for CullideGround {
    fn from(ground: Ground) -> Self {
        Self {
            target: key::of_target(ground.target),
            part: ground.part,
            surface: ground.surface,
            normal: ground.normal.into(),
            velocity: ground.velocity.into(),
        }
    }
}

impl Walker {
    pub(crate) fn new(shape: &Shape, pose: CullidePose) -> Result<Self, Failure> {
        let (rotation, position) = pose.parts();
        Ok(match &*placed(shape, pose)? {
            Shape::Aabb(body) => Self::Box(Character::new(Obb::from(body))),
            Shape::Obb(body) => Self::Box(Character::new(*body)),
            Shape::Sphere(body) => Self::Ball(Character::new(*body)),
            Shape::Capsule(body) => Self::Capsule(Character::new(*body)),
            // Turned about its origin, from where it goes wherever it goes.
            _ => Self::Other(Character::new(MovingShape::new(shape.transformed(rotation, Vec3::ZERO)?, position)?)),
        })
    }

    fn set_position(&mut self, position: Vec3) -> Result<(), Failure> {
        match self {
            Self::Box(of) => of.body = Obb::from_half_edges(position, of.body.half_edges())?,
            Self::Ball(of) => of.body = Sphere::new(position, of.body.radius())?,
            Self::Capsule(of) => of.body = Capsule::from_half_axis(position, of.body.half_axis(), of.body.radius())?,
            Self::Other(of) => of.body = of.body.at(position)?,
        }
        each_kind!(self, of => of.ground = None);
        Ok(())
    }

    fn state(&self) -> CullideCharacterState {
        each_kind!(self, of => CullideCharacterState {
            position: of.position().into(),
            velocity: of.velocity.into(),
            ground: of.ground.map(Into::into).unwrap_or_default(),
        })
    }

    fn object(&self) -> Option<ObjectKey> {
        each_kind!(self, of => of.object)
    }
}

/// Returns settings for metres with y up: steps of 0.35, slopes up to 45 degrees.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_mover() -> CullideMover {
    Mover::default().into()
}

/// Creates a character with this shape, no mesh and no terrain, at a pose, in the air and at rest; `cullide_character_free`
/// frees it.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_new(
    shape: Option<&CullideShape>,
    pose: CullidePose,
    character: Option<&mut MaybeUninit<Option<Box<CullideCharacter>>>>,
) -> CullideStatus {
    guard(|| {
        let place = given(character, "character")?;
        let body = Walker::new(&given(shape, "shape")?.shape, pose)?;
        place.write(Some(Box::new(CullideCharacter { body, walk: Walk::default() })));
        Ok(())
    })
}

/// Frees a character; NULL does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_free(character: Option<Box<CullideCharacter>>) {
    guard(|| {
        drop(character);
        Ok(())
    });
}

/// Writes where a character is, how fast it is, and what it stands on.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_state(
    character: Option<&CullideCharacter>,
    state: Option<&mut MaybeUninit<CullideCharacterState>>,
) -> CullideStatus {
    guard(|| {
        let character = given(character, "character")?;
        given(state, "state")?.write(character.body.state());
        Ok(())
    })
}

/// Sets the velocity that a character wants, in units per second: on the ground the part along it counts, unless it leads
/// upward, as in a jump. In the air, add gravity before each walk. A velocity that is not finite is refused by the walk.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_set_velocity(
    character: Option<&mut CullideCharacter>,
    velocity: CullideVec3,
) -> CullideStatus {
    guard(|| {
        let character = given(character, "character")?;
        each_kind!(&mut character.body, of => of.velocity = velocity.into());
        Ok(())
    })
}

/// Puts a character elsewhere, in the air.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_set_position(
    character: Option<&mut CullideCharacter>,
    position: CullideVec3,
) -> CullideStatus {
    guard(|| given(character, "character")?.body.set_position(position.into()))
}

/// Names the object that is this character in the world, so that rays and triggers find it; `CULLIDE_NONE` for none. It is
/// never in the way of the character's own walks, and each walk puts it where the character is.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_set_object(
    character: Option<&mut CullideCharacter>,
    world: Option<&CullideWorld>,
    object: CullideKey,
) -> CullideStatus {
    guard(|| {
        let (character, world) = (given(character, "character")?, given(world, "world")?);
        let object = if object == CULLIDE_NONE { None } else { Some(key::object(&world.world, object)?) };
        each_kind!(&mut character.body, of => of.object = object);
        Ok(())
    })
}

/// Moves a character for `dt` seconds at its velocity: along with what it stands on, along floors, up steps, down stairs,
/// and along walls. With `dynamics` it pushes the bodies in its way; NULL for none. Then writes what happened.
///
/// On failure nothing has moved.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_character_walk(
    character: Option<&mut CullideCharacter>,
    world: Option<&mut CullideWorld>,
    dynamics: Option<&mut CullideDynamics>,
    mover: Option<&CullideMover>,
    dt: f32,
    filter: Option<&CullideFilter>,
    walk: Option<&mut MaybeUninit<CullideWalk>>,
) -> CullideStatus {
    guard(|| {
        let (character, world) = (given(character, "character")?, given(world, "world")?);
        let (mover, walk) = (Mover::from(*given(mover, "mover")?), given(walk, "walk")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        let world = &mut world.world;
        character.walk = each_kind!(&mut character.body, of => match dynamics {
            Some(dynamics) => dynamics.dynamics.walk(world, &mover, of, dt, &filter)?,
            None => mover.walk(world, of, dt, &filter)?,
        });
        if character.body.object().is_some() {
            each_kind!(&character.body, of => follow(of, world));
        }
        let (happened, blocked) = (&character.walk, character.walk.blocked);
        walk.write(CullideWalk {
            state: character.body.state(),
            stepped: happened.stepped,
            overlap: happened.overlap.map(Into::into).unwrap_or_default(),
            blocked_by: blocked.map_or(CULLIDE_NONE, |step| key::of_target(step.target)),
            blocked_height: blocked.and_then(|step| step.height).unwrap_or(-1.0),
        });
        Ok(())
    })
}

/// Puts the object of a character where that is.
fn follow<B: CharacterBody>(character: &Character<B>, world: &mut World) {
    if let Some(mut object) = character.object.and_then(|key| world.object_mut(key)) {
        let (rotation, _) = object.as_ref().transform();
        // A place that a walk has reached is one that a shape can have.
        let _ = object.set_transform(rotation, character.position());
    }
}

/// Makes a box or a capsule higher or lower along `mover->up`, its foot where it is: to crouch and to get up. Writes 1 to
/// `changed`, or 0 if there is no room above: then it stays as it is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_character_set_height(
    character: Option<&mut CullideCharacter>,
    world: Option<&CullideWorld>,
    mover: Option<&CullideMover>,
    height: f32,
    filter: Option<&CullideFilter>,
    changed: Option<&mut MaybeUninit<u8>>,
) -> CullideStatus {
    guard(|| {
        let (character, world) = (given(character, "character")?, given(world, "world")?);
        let (mover, changed) = (Mover::from(*given(mover, "mover")?), given(changed, "changed")?);
        // SAFETY: the caller's filter, as the header demands.
        let filter = unsafe { self::filter(world, filter) }?;
        let done = match &mut character.body {
            Walker::Box(of) => of.set_height(&world.world, &mover, height, &filter)?,
            Walker::Capsule(of) => of.set_height(&world.world, &mover, height, &filter)?,
            _ => {
                let message = "`character` is neither a box nor a capsule; create it with such a shape";
                return Err(Failure::new(CullideStatus::WrongShape, message));
            }
        };
        changed.write(done.into());
        Ok(())
    })
}

/// Lists the surfaces that a character met in its last walk, in order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_character_contacts(
    character: Option<&CullideCharacter>,
    contacts: *mut CullideSlideContact,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let character = given(character, "character")?;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(contacts, capacity, "contacts") }?;
        let contacts = character.walk.contacts.iter();
        fill(room, total, contacts.map(|contact| CullideSlideContact::new(contact, Vec3::ZERO)))
    })
}

/// Lists the rigid bodies that a character pushed in its last walk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_character_pushes(
    character: Option<&CullideCharacter>,
    pushes: *mut CullidePush,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let character = given(character, "character")?;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(pushes, capacity, "pushes") }?;
        let pushes = character.walk.pushes.iter();
        fill(
            room,
            total,
            pushes.map(|push| CullidePush {
                body: key::of_object(push.body),
                point: push.point.into(),
                force: push.force.into(),
            }),
        )
    })
}
