//! Worlds, bodies and characters as bytes.

use crate::{
    CullideCharacter, CullideDynamics, CullideWorld,
    character::Walker,
    memory::{fill, given, room, values},
    status::{CullideStatus, Failure, guard},
};
use cullide_world::{Dynamics, DynamicsSnapshot, Snapshot, Walk, World};
use serde::{Serialize, de::DeserializeOwned};
use std::mem::MaybeUninit;

/// Bytes that a world, its bodies or a character can be restored from, on any machine.
#[derive(Debug)]
pub struct CullideSnapshot {
    bytes: Vec<u8>,
}

/// The first byte of a snapshot: what it is of.
const WORLD: u8 = b'W';
const DYNAMICS: u8 = b'D';
const CHARACTER: u8 = b'C';

/// Where a function leaves a snapshot.
type NewSnapshot<'a> = Option<&'a mut MaybeUninit<Option<Box<CullideSnapshot>>>>;

fn save(of: u8, state: &impl Serialize, snapshot: NewSnapshot) -> Result<(), Failure> {
    let bytes = postcard::to_extend(state, vec![of]).map_err(|error| bad(&error.to_string()))?;
    given(snapshot, "snapshot")?.write(Some(Box::new(CullideSnapshot { bytes })));
    Ok(())
}

fn load<S: DeserializeOwned>(of: u8, bytes: &[u8]) -> Result<S, Failure> {
    let Some((_, rest)) = bytes.split_first().filter(|(first, _)| **first == of) else {
        return Err(bad("they are not of this kind"));
    };
    match postcard::take_from_bytes(rest) {
        Ok((state, [])) => Ok(state),
        Ok(_) => Err(bad("there are too many")),
        Err(error) => Err(bad(&error.to_string())),
    }
}

fn bad(why: &str) -> Failure {
    let message = format!("`bytes` are no such snapshot ({why}); give those of one that this version has made");
    Failure::new(CullideStatus::BadSnapshot, message)
}

/// Saves a world; `cullide_snapshot_free` frees the snapshot. To go back within one program, a clone is cheaper.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_world_save(
    world: Option<&CullideWorld>,
    snapshot: Option<&mut MaybeUninit<Option<Box<CullideSnapshot>>>>,
) -> CullideStatus {
    guard(|| save(WORLD, &given(world, "world")?.world.snapshot(), snapshot))
}

/// Saves the rigid bodies of a world, beside the world.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_dynamics_save(
    dynamics: Option<&CullideDynamics>,
    world: Option<&CullideWorld>,
    snapshot: Option<&mut MaybeUninit<Option<Box<CullideSnapshot>>>>,
) -> CullideStatus {
    guard(|| {
        let (dynamics, world) = (given(dynamics, "dynamics")?, given(world, "world")?);
        save(DYNAMICS, &dynamics.dynamics.snapshot(&world.world)?, snapshot)
    })
}

/// Saves a character.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_character_save(
    character: Option<&CullideCharacter>,
    snapshot: Option<&mut MaybeUninit<Option<Box<CullideSnapshot>>>>,
) -> CullideStatus {
    guard(|| save(CHARACTER, &given(character, "character")?.body, snapshot))
}

/// Lists the bytes of a snapshot.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_snapshot_bytes(
    snapshot: Option<&CullideSnapshot>,
    bytes: *mut u8,
    capacity: usize,
    total: Option<&mut MaybeUninit<usize>>,
) -> CullideStatus {
    guard(|| {
        let snapshot = given(snapshot, "snapshot")?;
        // SAFETY: the caller's array, as the header demands.
        let room = unsafe { room(bytes, capacity, "bytes") }?;
        fill(room, total, snapshot.bytes.iter().copied())
    })
}

/// Frees a snapshot; NULL does nothing.
#[unsafe(no_mangle)]
pub extern "C" fn cullide_snapshot_free(snapshot: Option<Box<CullideSnapshot>>) {
    guard(|| {
        drop(snapshot);
        Ok(())
    });
}

/// Creates the world that the bytes of a snapshot were made from: it continues bit for bit as that one would have, with
/// the same keys. Bytes from elsewhere may be refused, and take memory of some hundred times their length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_world_restore(
    bytes: *const u8,
    count: usize,
    world: Option<&mut MaybeUninit<Option<Box<CullideWorld>>>>,
) -> CullideStatus {
    guard(|| {
        let place = given(world, "world")?;
        // SAFETY: the caller's array, as the header demands.
        let snapshot: Snapshot = load(WORLD, unsafe { values(bytes, count, "bytes") }?)?;
        place.write(Some(Box::new(CullideWorld { world: World::restore(&snapshot)? })));
        Ok(())
    })
}

/// Creates the dynamics that the bytes of a snapshot were made from, for the world that was saved beside it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_dynamics_restore(
    bytes: *const u8,
    count: usize,
    world: Option<&CullideWorld>,
    dynamics: Option<&mut MaybeUninit<Option<Box<CullideDynamics>>>>,
) -> CullideStatus {
    guard(|| {
        let (world, place) = (given(world, "world")?, given(dynamics, "dynamics")?);
        // SAFETY: the caller's array, as the header demands.
        let snapshot: DynamicsSnapshot = load(DYNAMICS, unsafe { values(bytes, count, "bytes") }?)?;
        let dynamics = Dynamics::restore(&snapshot, &world.world)?;
        place.write(Some(Box::new(CullideDynamics { dynamics })));
        Ok(())
    })
}

/// Creates the character that the bytes of a snapshot were made from.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cullide_character_restore(
    bytes: *const u8,
    count: usize,
    character: Option<&mut MaybeUninit<Option<Box<CullideCharacter>>>>,
) -> CullideStatus {
    guard(|| {
        let place = given(character, "character")?;
        // SAFETY: the caller's array, as the header demands.
        let body: Walker = load(CHARACTER, unsafe { values(bytes, count, "bytes") }?)?;
        place.write(Some(Box::new(CullideCharacter { body, walk: Walk::default() })));
        Ok(())
    })
}
