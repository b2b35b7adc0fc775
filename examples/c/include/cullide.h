// Cullide for C and C++: collision queries, characters that walk, rigid bodies. Written by cbindgen from examples/c/src.
//
// Errors. Nearly every function returns a CullideStatus: CULLIDE_STATUS_OK, which is 0, or why it failed; then it has
// changed nothing and written nothing, unless it says otherwise, and cullide_last_error() says what to do.
//
// Results. A function writes a single result to where the last pointer shows. A list goes into an array of the caller's
// with room for `capacity` entries; `total` becomes the number of all that there are, which may be more: then make the
// array larger and ask again. With a capacity of 0 the array may be NULL.
//
// Ownership. What a function creates is freed by the function whose name ends in _free, once. What is passed to a function
// stays the caller's and is not kept, except that a shape lives on in what was made with it. Strings are the library's.
//
// Pointers. Arrays have the length that is given with them; handles were created by this library and not freed. NULL is
// refused where it is not allowed, but nothing can tell a wrong pointer from a right one.
//
// Threads. Functions that take a `const CullideWorld *` may run on any number of threads at once. Those that change a
// world, dynamics or a character need it for themselves. Batches and steps start threads, which stay: do not unload the
// library afterwards.
//
// Units are the caller's; presets are for metres, kilograms and seconds, with y up. Coordinates lie within 2^30.


#ifndef CULLIDE_H
#define CULLIDE_H

#include <stddef.h>
#include <stdint.h>

// The number of the layout of structures and functions.
#define CULLIDE_ABI_VERSION 1

// Gravity, contacts and forces move it.
#define CULLIDE_DYNAMIC 0

// Only its velocity moves it, and nothing stops it: a lift, a door, a ship. It may be a mesh.
#define CULLIDE_KINEMATIC 1

// `mass` is mass per unit of volume.
#define CULLIDE_MASS_DENSITY 0

// `mass` is the mass of the whole body, spread evenly over its shape.
#define CULLIDE_MASS_TOTAL 1

// `mass`, `center` and `inertia` are given.
#define CULLIDE_MASS_GIVEN 2

// More parts of a step do not make it better, only longer.
#define CULLIDE_MAX_SUBSTEPS 1000

// Those that touch.
#define CULLIDE_TOUCHING 0

// Those that began to touch in the last step.
#define CULLIDE_TOUCH_BEGUN 1

// Those that ceased to touch in the last step.
#define CULLIDE_TOUCH_ENDED 2

// Depths from 0 to 1: Direct3D, Metal, Vulkan, WebGPU, also with reversed z.
#define CULLIDE_ZERO_TO_ONE 0

// Depths from -1 to 1: OpenGL.
#define CULLIDE_MINUS_ONE_TO_ONE 1

// All pairs.
#define CULLIDE_PAIRS 0

// Those that began in the last update.
#define CULLIDE_PAIRS_BEGUN 1

// Those that ended in the last update.
#define CULLIDE_PAIRS_ENDED 2

// A half-space: everything behind the plane is solid, a floor without an end.
#define CULLIDE_HALF_SPACE 0

// A wall without thickness: solid from both sides.
#define CULLIDE_WALL 1

// Found from both sides.
#define CULLIDE_BOTH_SIDES 0

// Found only from where the corners run counter-clockwise.
#define CULLIDE_FRONT_SIDE 1

// What was in a volume at the last update, and not at the one before.
#define CULLIDE_ENTERED 0

// What was in a volume at the update before the last, and not at the last; it may have been removed.
#define CULLIDE_LEFT 1

// Everything, as a mask of layers.
#define CULLIDE_ALL_LAYERS UINT32_MAX

// Does not move, or seldom: walls, floors.
#define CULLIDE_FIXED 0

// Moves in many frames; every rigid body is moving.
#define CULLIDE_MOVING 1

// For filters: fixed and moving objects and planes.
#define CULLIDE_BOTH 2

// How a call ended. `cullide_last_error` says more about all but the first.
enum CullideStatus
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    // The call did what it says.
    CULLIDE_STATUS_OK = 0,
    // A pointer that must not be NULL is, or is not aligned for what it points to.
    CULLIDE_STATUS_NULL_POINTER = 1,
    // A count does not fit another one, or is larger than memory.
    CULLIDE_STATUS_BAD_LENGTH = 2,
    // The key names nothing in this world: it was removed, or never existed.
    CULLIDE_STATUS_STALE_KEY = 3,
    // A number is not finite or out of range, or numbers do not make up a shape.
    CULLIDE_STATUS_BAD_VALUE = 4,
    // A number stands for none of the listed choices.
    CULLIDE_STATUS_BAD_CHOICE = 5,
    // This kind of shape cannot be used for this, such as a mesh for a shape that moves.
    CULLIDE_STATUS_WRONG_SHAPE = 6,
    // Bodies of one world with another world.
    CULLIDE_STATUS_OTHER_WORLD = 7,
    // Bytes that are no snapshot of this kind or of this version.
    CULLIDE_STATUS_BAD_SNAPSHOT = 8,
    // The header does not belong to this library.
    CULLIDE_STATUS_OTHER_VERSION = 9,
    // A fault of the library. Free the handles of the call and nothing else; please report it with the message.
    CULLIDE_STATUS_PANIC = 10,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum CullideStatus CullideStatus;
#else
typedef int32_t CullideStatus;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

// A character: its shape, where it is, its velocity, and what it stands on. Nothing in the world meets it, unless it has
// an object there.
typedef struct CullideCharacter CullideCharacter;

// The rigid bodies of one world: what steps know about them beside their objects.
typedef struct CullideDynamics CullideDynamics;

// A shape about its own origin: to be inserted any number of times, and to ask with.
//
// It cannot be changed, and what is made from it keeps what it needs, so it may be freed at any time.
typedef struct CullideShape CullideShape;

// Bytes that a world, its bodies or a character can be restored from, on any machine.
typedef struct CullideSnapshot CullideSnapshot;

// Volumes of one world, which are objects of it, and what is in them.
typedef struct CullideTriggers CullideTriggers;

// A scene of objects and infinite planes.
typedef struct CullideWorld CullideWorld;

// A point, a direction or a size, in units of the scene.
typedef struct CullideVec3 {
    float x;
    float y;
    float z;
} CullideVec3;

// Settings of a step.
typedef struct CullideDynamicsConfig {
    // In units per second squared.
    struct CullideVec3 gravity;
    // The number of equal parts into which a step is divided, 1 to `CULLIDE_MAX_SUBSTEPS`.
    uint32_t substeps;
    // How far apart bodies come to rest, a length.
    float skin;
    // The distance up to which contacts are known.
    float margin;
    // The greatest speed at which bodies that penetrate are pushed apart, in units per second.
    float push_speed;
    // Slower approaches do not rebound, in units per second.
    float restitution_speed;
    // A body slower than this for `sleep_seconds` may fall asleep.
    float sleep_speed;
    // See `sleep_speed`.
    float sleep_seconds;
} CullideDynamicsConfig;

// How a surface behaves in contact.
typedef struct CullideMaterial {
    // Coulomb's coefficient of friction, 0 or more.
    float friction;
    // The fraction of the speed of approach with which the two part, 0 to 1.
    float restitution;
    // The tangent of the steepest slope on which a ball stays put, 0 or more.
    float rolling_resistance;
    // How fast the surface itself runs, as that of a conveyor belt does, in units per second.
    struct CullideVec3 surface_velocity;
} CullideMaterial;

// The description of a rigid body.
typedef struct CullideRigidBody {
    // `CULLIDE_DYNAMIC` or `CULLIDE_KINEMATIC`.
    uint32_t kind;
    // `CULLIDE_MASS_DENSITY`, `CULLIDE_MASS_TOTAL` or `CULLIDE_MASS_GIVEN`; the mass of a kinematic body does not matter.
    uint32_t mass_kind;
    // More than 0.
    float mass;
    // For `CULLIDE_MASS_GIVEN`, the centre of mass about the origin of the shape.
    struct CullideVec3 center;
    // For `CULLIDE_MASS_GIVEN`, the columns of the tensor of inertia about the centre of mass.
    struct CullideVec3 inertia[3];
    // How its surface behaves.
    struct CullideMaterial material;
    // The velocity of its centre, in units per second.
    struct CullideVec3 velocity;
    // In radians per second.
    struct CullideVec3 angular_velocity;
    // The multiple of gravity that it feels.
    float gravity_scale;
    // The rate at which it loses its velocity, per second, 0 for none.
    float linear_damping;
    // The same for its angular velocity.
    float angular_damping;
    // The axes along which it cannot move: 1 for x, 2 for y, 4 for z, or a sum of them.
    uint8_t locked_translation;
    // The axes about which it cannot turn.
    uint8_t locked_rotation;
    // 0 if it must stay awake.
    uint8_t can_sleep;
    // Not 0 if it only reports what it touches.
    uint8_t is_sensor;
} CullideRigidBody;

// Names an object or a plane of one world; 0 names nothing. A key is never given out again once what it names was
// removed. It does not tell worlds apart: use it with the world that gave it.
typedef uint64_t CullideKey;

// A rigid body at one moment.
typedef struct CullideBodyState {
    // The velocity of its centre, in units per second.
    struct CullideVec3 velocity;
    // In radians per second.
    struct CullideVec3 angular_velocity;
    // Its mass; 0 for a kinematic body.
    float mass;
    // Its centre of mass, in the world.
    struct CullideVec3 center;
    // 1 if it sleeps.
    uint8_t is_asleep;
} CullideBodyState;

// A rotation. It need not be a unit quaternion, but not all zeros: no rotation is 0, 0, 0, 1.
typedef struct CullideQuat {
    float x;
    float y;
    float z;
    float w;
} CullideQuat;

// Where something is and how it is turned: its shape is turned about its own origin, which is then put at the position.
// `cullide_at(x, y, z)` is a pose without rotation.
typedef struct CullidePose {
    struct CullideQuat rotation;
    struct CullideVec3 position;
} CullidePose;

// How characters walk.
typedef struct CullideMover {
    // The direction against gravity.
    struct CullideVec3 up;
    // The highest step that it climbs, and the deepest that it descends without falling.
    float step_height;
    // The steepest slope that carries, in radians from level, up to a right angle.
    float max_slope;
    // In the air, how far below a floor may be to carry.
    float landing;
    // The force with which it pushes the rigid bodies in its way, in newtons for metres and kilograms.
    float push_force;
} CullideMover;

// What a character stands on.
typedef struct CullideGround {
    // The object or the plane; `CULLIDE_NONE` in the air, and then the rest is 0.
    CullideKey target;
    // The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    uint32_t part;
    // The caller's number for that part, for example for the sound of footsteps.
    uint16_t surface;
    // Its unit normal.
    struct CullideVec3 normal;
    // How fast it moves where the character stands, in units per second.
    struct CullideVec3 velocity;
} CullideGround;

// A character at one moment.
typedef struct CullideCharacterState {
    // The position of the pose of its shape.
    struct CullideVec3 position;
    // In units per second; relative to what it stands on.
    struct CullideVec3 velocity;
    // What it stands on.
    struct CullideGround ground;
} CullideCharacterState;

// What a query considers. A NULL filter considers everything.
typedef struct CullideFilter {
    // What shares a layer with this mask; `CULLIDE_ALL_LAYERS` for everything that is in a layer.
    uint32_t layers;
    // `CULLIDE_FIXED` with planes, `CULLIDE_MOVING`, or `CULLIDE_BOTH`.
    uint32_t mobility;
    // Keys of objects that are left out; keys that name nothing are ignored. Read during the call only.
    const CullideKey *excluded;
    // Their number.
    size_t excluded_count;
} CullideFilter;

// What a moving shape touches.
typedef struct CullideShapeHit {
    // The object or the plane; `CULLIDE_NONE` if there is none, and then the rest is 0.
    CullideKey target;
    // The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    uint32_t part;
    // The part of the moving shape that touches it: the child of a compound; otherwise 0.
    uint32_t own_part;
    // The caller's number for that part of the target.
    uint16_t surface;
    // When they touch, as a fraction of the motion, 0 to 1; 0 for an overlap.
    float time;
    // For an overlap, how far to move along the normal until the two only touch; otherwise 0.
    float depth;
    // The unit normal of the target, against the motion; for an overlap the direction of the shortest way out.
    struct CullideVec3 normal;
    // A point where they touch; 0 for an overlap.
    struct CullideVec3 point;
} CullideShapeHit;

// What happened in a walk.
typedef struct CullideWalk {
    // The character after it.
    struct CullideCharacterState state;
    // How far a step raised it: a camera may want to lag by this much.
    float stepped;
    // What it still penetrates, because there is no way out near by: it is crushed.
    struct CullideShapeHit overlap;
    // The wall in its way that it could not climb; `CULLIDE_NONE` if there was none.
    CullideKey blocked_by;
    // How high above its foot it could stand behind that wall; negative if it could not.
    float blocked_height;
} CullideWalk;

// A surface that a slide met.
typedef struct CullideSlideContact {
    // The object or the plane.
    CullideKey target;
    // Its part.
    uint32_t part;
    // The caller's number for that part.
    uint16_t surface;
    // The unit normal of the surface.
    struct CullideVec3 normal;
    // The position of the shape when it met the surface.
    struct CullideVec3 position;
} CullideSlideContact;

// A rigid body that a character pushed.
typedef struct CullidePush {
    // The body.
    CullideKey body;
    // Where it was pushed.
    struct CullideVec3 point;
    // The force.
    struct CullideVec3 force;
} CullidePush;

// How many of each list a step has made.
typedef struct CullideStepReport {
    // The number of bodies whose pose has changed: `cullide_moved`.
    size_t moved;
    // The number of pairs that began to touch: `cullide_contact_pairs`.
    size_t begun;
    // The number of pairs that ceased to touch.
    size_t ended;
    // The number of dynamic bodies that are awake.
    size_t awake;
} CullideStepReport;

// A body that a step has moved.
typedef struct CullideMoved {
    // The body.
    CullideKey key;
    // The caller's number of its object.
    uint64_t user;
    // Where it is now.
    struct CullidePose pose;
} CullideMoved;

// Two things.
typedef struct CullidePair {
    // The one with the smaller key; of a contact, a dynamic body; of triggers, the volume.
    CullideKey first;
    // The other one.
    CullideKey second;
} CullidePair;

// Two that met in a step.
typedef struct CullideImpact {
    // A dynamic body.
    CullideKey first;
    // What it met.
    CullideKey second;
    // How hard, as mass times velocity.
    float impulse;
} CullideImpact;

// A point where two touch.
typedef struct CullideContactPoint {
    // A dynamic body.
    CullideKey first;
    // What it touches.
    CullideKey second;
    // The part of the first: the child of a compound; otherwise 0.
    uint32_t first_part;
    // The part of the second: the triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    uint32_t second_part;
    // The caller's number for the part of the second.
    uint16_t surface;
    // Midway between the two surfaces.
    struct CullideVec3 point;
    // The unit direction from the first to the second.
    struct CullideVec3 normal;
    // How far apart the two are there; negative if they penetrate.
    float separation;
    // How hard the step pushed them apart there, as mass times velocity.
    float impulse;
} CullideContactPoint;

// The points x with `normal · x + d = 0`. In front of it is where the normal points to; the length of the normal does
// not matter, if `d` is in proportion.
typedef struct CullidePlane {
    // Not zero.
    struct CullideVec3 normal;
    // Minus the height of the plane along a unit normal.
    float d;
} CullidePlane;

// An object to insert.
typedef struct CullideObject {
    // Its shape, which the world copies or shares: it may be freed afterwards.
    const struct CullideShape *shape;
    // Where the shape is put.
    struct CullidePose pose;
    // `CULLIDE_FIXED` or `CULLIDE_MOVING`.
    uint32_t mobility;
    // The layers that it is in; a filter finds it by any of them.
    uint32_t layers;
    // The layers with whose objects it makes pairs, if these pair with its own, too.
    uint32_t pairs_with;
    // The caller's number, such as that of an entity.
    uint64_t user;
} CullideObject;

// A box along the axes.
typedef struct CullideAabb {
    struct CullideVec3 min;
    struct CullideVec3 max;
} CullideAabb;

// Something near a point.
typedef struct CullideNear {
    // The object or the plane.
    CullideKey target;
    // The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    uint32_t part;
    // The caller's number for that part.
    uint16_t surface;
    // How far it is; 0 if the point lies inside of it.
    float distance;
    // The distance from its surface, negative inside.
    float separation;
    // Its point that is nearest.
    struct CullideVec3 point;
    // The unit direction away from it.
    struct CullideVec3 normal;
} CullideNear;

// Something near a shape.
typedef struct CullideNearShape {
    // The object or the plane.
    CullideKey target;
    // How far apart the two are; if they overlap, minus the length of the shortest way out.
    double separation;
    // The parts of the shape that was asked with and of the target between which this is.
    uint32_t parts[2];
    // The caller's numbers for them.
    uint16_t surfaces[2];
    // The unit direction in which to move the shape away from the target.
    struct CullideVec3 normal;
    // The nearest points of the shape and of the target.
    struct CullideVec3 points[2];
} CullideNearShape;

// A shape somewhere.
typedef struct CullidePlacedShape {
    // The shape.
    const struct CullideShape *shape;
    // Where it is.
    struct CullidePose pose;
} CullidePlacedShape;

// From where, and in which direction, whose length does not matter.
typedef struct CullideRay {
    // The start.
    struct CullideVec3 origin;
    // Not zero.
    struct CullideVec3 direction;
} CullideRay;

// What a ray or a segment hits.
typedef struct CullideRayHit {
    // The object or the plane; `CULLIDE_NONE` if there is no hit, and then the rest is 0.
    CullideKey target;
    // The triangle of a mesh or a terrain, the child of a compound; otherwise 0.
    uint32_t part;
    // The caller's number for that part.
    uint16_t surface;
    // 1 if the start lies inside of it: then the distance is 0.
    uint16_t inside;
    // For a ray the distance from its origin, for a segment the fraction of its length, 0 to 1.
    float distance;
    // The same where it leaves the shape again.
    float exit;
    // Where it enters.
    struct CullideVec3 point;
    // The unit normal there.
    struct CullideVec3 normal;
} CullideRayHit;

// From one point to another.
typedef struct CullideSegment {
    // The start.
    struct CullideVec3 start;
    // The end.
    struct CullideVec3 end;
} CullideSegment;

// A convex shape, or a compound of such, that moves without turning.
typedef struct CullideMotion {
    // The shape; no mesh and no terrain.
    const struct CullideShape *shape;
    // Where it starts.
    struct CullidePose pose;
    // How far it is to go.
    struct CullideVec3 motion;
} CullideMotion;

// Where a sweep ends.
typedef struct CullideSwept {
    // The position of the pose at the end. There, a box, a ball or a capsule penetrates nothing. Another shape penetrates
    // nothing up to rounding, and may be found to overlap what it touches; `cullide_slide` pushes it out.
    struct CullideVec3 position;
    // What stops the shape.
    struct CullideShapeHit hit;
    // What it overlaps at the start, the deepest of several: then it has not moved and there is no hit.
    struct CullideShapeHit overlap;
} CullideSwept;

// Where a slide ends.
typedef struct CullideSlid {
    // The position of the pose at the end.
    struct CullideVec3 position;
    // What is left of the motion after all contacts: the one to continue with.
    struct CullideVec3 motion;
    // What the shape overlapped at the start and could not be pushed out of: then it has not moved.
    struct CullideShapeHit overlap;
} CullideSlid;

// No object and no plane.
#define CULLIDE_NONE 0

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Checks that a program was compiled with the header of this library; call it once at the start, best through
// `cullide_check()`, which gives it the right arguments.
//
// `version` is `CULLIDE_ABI_VERSION`, `sizes` holds the sizes of the structures in the order of `cullide_check()`.
// CULLIDE_STATUS_OTHER_VERSION if anything differs: then call nothing else.
CullideStatus cullide_abi_check(uint32_t version, const size_t *sizes, size_t count);

// Returns the settings for metres and seconds, with gravity along -y.
struct CullideDynamicsConfig cullide_dynamics_config(void);

// Returns the description of a dynamic body of density 1 at rest.
struct CullideRigidBody cullide_rigid_body(void);

// Creates dynamics without bodies, which `cullide_dynamics_free` frees.
CullideStatus cullide_dynamics_new(struct CullideDynamics **dynamics);

// Creates a copy of dynamics, for a copy of its world.
CullideStatus cullide_dynamics_clone(const struct CullideDynamics *dynamics, struct CullideDynamics **copy);

// Frees dynamics; NULL does nothing. The objects stay in their world.
void cullide_dynamics_free(struct CullideDynamics *dynamics);

// Makes an object a rigid body, or gives the body that it is another description. The object becomes moving.
CullideStatus cullide_body_insert(struct CullideDynamics *dynamics,
                                  struct CullideWorld *world,
                                  CullideKey key,
                                  const struct CullideRigidBody *body);

// Makes a rigid body an object like others. To remove both, remove the object.
CullideStatus cullide_body_remove(struct CullideDynamics *dynamics, const struct CullideWorld *world, CullideKey key);

// Reads the state of a rigid body; for its pose, see `cullide_poses`.
CullideStatus cullide_body_state(const struct CullideDynamics *dynamics,
                                 const struct CullideWorld *world,
                                 CullideKey key,
                                 struct CullideBodyState *state);

// Sets the velocity of a rigid body, in units per second, and its angular velocity, in radians per second.
CullideStatus cullide_body_set_velocity(struct CullideDynamics *dynamics,
                                        const struct CullideWorld *world,
                                        CullideKey key,
                                        struct CullideVec3 velocity,
                                        struct CullideVec3 angular_velocity);

// Gives a kinematic body the velocities with which a step of `dt` seconds takes it to a pose.
CullideStatus cullide_body_move_to(struct CullideDynamics *dynamics,
                                   const struct CullideWorld *world,
                                   CullideKey key,
                                   struct CullidePose pose,
                                   float dt);

// Applies an impulse, of mass times velocity, to a dynamic body at a point of the world. A kinematic one stays as it is.
CullideStatus cullide_body_apply_impulse(struct CullideDynamics *dynamics,
                                         const struct CullideWorld *world,
                                         CullideKey key,
                                         struct CullideVec3 impulse,
                                         struct CullideVec3 point);

// Applies an angular impulse, of moment of inertia times angular velocity, to a dynamic body. A kinematic one stays as it
// is.
CullideStatus cullide_body_apply_angular_impulse(struct CullideDynamics *dynamics,
                                                 const struct CullideWorld *world,
                                                 CullideKey key,
                                                 struct CullideVec3 impulse);

// Applies a force at the centre of a dynamic body and a torque during the next step. Kinematic ones and sensors stay as
// they are.
CullideStatus cullide_body_apply_force(struct CullideDynamics *dynamics,
                                       const struct CullideWorld *world,
                                       CullideKey key,
                                       struct CullideVec3 force,
                                       struct CullideVec3 torque);

// Applies a force at a point of the world to a dynamic body during the next step. Kinematic ones and sensors stay as
// they are.
CullideStatus cullide_body_apply_force_at(struct CullideDynamics *dynamics,
                                          const struct CullideWorld *world,
                                          CullideKey key,
                                          struct CullideVec3 force,
                                          struct CullideVec3 point);

// Wakes a rigid body, with all that it touches.
CullideStatus cullide_body_wake(struct CullideDynamics *dynamics, const struct CullideWorld *world, CullideKey key);

// Sets the material of an object, a rigid body or not, or of a plane.
CullideStatus cullide_set_material(struct CullideDynamics *dynamics,
                                   const struct CullideWorld *world,
                                   CullideKey key,
                                   const struct CullideMaterial *material);

// Makes two objects go through each other (`ignored` not 0), such as the two halves of a hinge, or meet again (0).
CullideStatus cullide_ignore_pair(struct CullideDynamics *dynamics,
                                  const struct CullideWorld *world,
                                  CullideKey first,
                                  CullideKey second,
                                  uint8_t ignored);

// Returns settings for metres with y up: steps of 0.35, slopes up to 45 degrees.
struct CullideMover cullide_mover(void);

// Creates a character with this shape, no mesh and no terrain, at a pose, in the air and at rest; `cullide_character_free`
// frees it.
CullideStatus cullide_character_new(const struct CullideShape *shape,
                                    struct CullidePose pose,
                                    struct CullideCharacter **character);

// Frees a character; NULL does nothing.
void cullide_character_free(struct CullideCharacter *character);

// Writes where a character is, how fast it is, and what it stands on.
CullideStatus cullide_character_state(const struct CullideCharacter *character, struct CullideCharacterState *state);

// Sets the velocity that a character wants, in units per second: on the ground the part along it counts, unless it leads
// upward, as in a jump. In the air, add gravity before each walk. A velocity that is not finite is refused by the walk.
CullideStatus cullide_character_set_velocity(struct CullideCharacter *character,
                                             struct CullideVec3 velocity);

// Puts a character elsewhere, in the air.
CullideStatus cullide_character_set_position(struct CullideCharacter *character, struct CullideVec3 position);

// Names the object that is this character in the world, so that rays and triggers find it; `CULLIDE_NONE` for none. It is
// never in the way of the character's own walks, and each walk puts it where the character is.
CullideStatus cullide_character_set_object(struct CullideCharacter *character,
                                           const struct CullideWorld *world,
                                           CullideKey object);

// Moves a character for `dt` seconds at its velocity: along with what it stands on, along floors, up steps, down stairs,
// and along walls. With `dynamics` it pushes the bodies in its way; NULL for none. Then writes what happened.
//
// On failure nothing has moved.
CullideStatus cullide_character_walk(struct CullideCharacter *character,
                                     struct CullideWorld *world,
                                     struct CullideDynamics *dynamics,
                                     const struct CullideMover *mover,
                                     float dt,
                                     const struct CullideFilter *filter,
                                     struct CullideWalk *walk);

// Makes a box or a capsule higher or lower along `mover->up`, its foot where it is: to crouch and to get up. Writes 1 to
// `changed`, or 0 if there is no room above: then it stays as it is.
CullideStatus cullide_character_set_height(struct CullideCharacter *character,
                                           const struct CullideWorld *world,
                                           const struct CullideMover *mover,
                                           float height,
                                           const struct CullideFilter *filter,
                                           uint8_t *changed);

// Lists the surfaces that a character met in its last walk, in order.
CullideStatus cullide_character_contacts(const struct CullideCharacter *character,
                                         struct CullideSlideContact *contacts,
                                         size_t capacity,
                                         size_t *total);

// Lists the rigid bodies that a character pushed in its last walk.
CullideStatus cullide_character_pushes(const struct CullideCharacter *character,
                                       struct CullidePush *pushes,
                                       size_t capacity,
                                       size_t *total);

// Moves all bodies by `dt` seconds, more than 0; give every step the same length. `report` may be NULL; the lists of the
// step last until the next one.
CullideStatus cullide_step(struct CullideDynamics *dynamics,
                           struct CullideWorld *world,
                           float dt,
                           const struct CullideDynamicsConfig *config,
                           struct CullideStepReport *report);

// Lists the bodies whose pose the last step has changed, with their poses: what a renderer has to move. Bodies that were
// removed since are left out.
CullideStatus cullide_moved(const struct CullideDynamics *dynamics,
                            const struct CullideWorld *world,
                            struct CullideMoved *moved,
                            size_t capacity,
                            size_t *total);

// Lists pairs of a dynamic body and what it touches: `which` is `CULLIDE_TOUCHING`, `CULLIDE_TOUCH_BEGUN` or
// `CULLIDE_TOUCH_ENDED`.
CullideStatus cullide_contact_pairs(const struct CullideDynamics *dynamics,
                                    uint32_t which,
                                    struct CullidePair *pairs,
                                    size_t capacity,
                                    size_t *total);

// Lists those that met in the last step with an impulse of `least` or more: for sounds and damage. What rests presses
// with its weight times the length of the step.
CullideStatus cullide_impacts(const struct CullideDynamics *dynamics,
                              float least,
                              struct CullideImpact *impacts,
                              size_t capacity,
                              size_t *total);

// Lists the points of all contacts of the last step.
CullideStatus cullide_contact_points(const struct CullideDynamics *dynamics,
                                     const struct CullideWorld *world,
                                     struct CullideContactPoint *points,
                                     size_t capacity,
                                     size_t *total);

// Writes a hash of all bodies of a world, the same on every platform; beside `cullide_world_hash`.
CullideStatus cullide_dynamics_hash(const struct CullideDynamics *dynamics,
                                    const struct CullideWorld *world,
                                    uint64_t *hash);

// Lists the objects in the view of a camera, by its matrix from the world to clip space: 16 numbers, column by column, as
// graphics libraries store them. `clip_space` is `CULLIDE_ZERO_TO_ONE` or `CULLIDE_MINUS_ONE_TO_ONE`. Boxes, balls and
// capsules are decided exactly; another object close outside may be listed. Infinite planes never are.
CullideStatus cullide_cull_matrix(const struct CullideWorld *world,
                                  const float *matrix,
                                  uint32_t clip_space,
                                  const struct CullideFilter *filter,
                                  CullideKey *keys,
                                  size_t capacity,
                                  size_t *total);

// The same for the volume in front of three to six planes, which must have a corner; it may be open to infinity.
CullideStatus cullide_cull_planes(const struct CullideWorld *world,
                                  const struct CullidePlane *planes,
                                  size_t count,
                                  const struct CullideFilter *filter,
                                  CullideKey *keys,
                                  size_t capacity,
                                  size_t *total);

// Returns a fixed object in all layers, which pairs with all, at the origin; change the rest from there.
struct CullideObject cullide_object(const struct CullideShape *shape);

// Inserts objects, and writes as many keys to `keys`; if one of them is refused, none is inserted. A whole level at
// once costs a fraction of as many calls.
CullideStatus cullide_insert(struct CullideWorld *world,
                             const struct CullideObject *objects,
                             size_t count,
                             CullideKey *keys);

// Removes an object or a plane; its key becomes stale.
CullideStatus cullide_remove(struct CullideWorld *world, CullideKey key);

// Puts objects at poses, wherever they were before. If one of the keys is stale or one of the poses out of range,
// nothing moves.
CullideStatus cullide_set_poses(struct CullideWorld *world,
                                const CullideKey *keys,
                                const struct CullidePose *poses,
                                size_t count);

// Writes the poses of objects to `poses`.
CullideStatus cullide_poses(const struct CullideWorld *world,
                            const CullideKey *keys,
                            struct CullidePose *poses,
                            size_t count);

// Gives an object another shape at the pose that it has. A rigid body keeps its velocity.
CullideStatus cullide_set_shape(struct CullideWorld *world, CullideKey key, const struct CullideShape *shape);

// Sets the layers that an object or a plane is in; none hides it from all queries.
CullideStatus cullide_set_layers(struct CullideWorld *world, CullideKey key, uint32_t layers);

// Sets the layers with whose objects an object makes pairs.
CullideStatus cullide_set_pairs_with(struct CullideWorld *world, CullideKey key, uint32_t layers);

// Makes an object `CULLIDE_FIXED` or `CULLIDE_MOVING`. A rigid body that becomes fixed is no longer a body.
CullideStatus cullide_set_mobility(struct CullideWorld *world, CullideKey key, uint32_t mobility);

// Switches an object off (0), so that no query and no step finds it, or on again (anything else).
CullideStatus cullide_set_enabled(struct CullideWorld *world, CullideKey key, uint8_t enabled);

// Sets the caller's number of an object or a plane.
CullideStatus cullide_set_user(struct CullideWorld *world, CullideKey key, uint64_t user);

// Sets the velocity of an object that is no rigid body, in units per second: a character that lands on it is carried
// along, and `cullide_update_pairs` looks ahead by it. It does not move the object.
CullideStatus cullide_set_velocity(struct CullideWorld *world, CullideKey key, struct CullideVec3 velocity);

// Reads an object: its pose, `CULLIDE_FIXED` or `CULLIDE_MOVING`, its layers and the caller's number. `shape` is NULL:
// shapes are the caller's to remember.
CullideStatus cullide_get(const struct CullideWorld *world, CullideKey key, struct CullideObject *object);

// Writes the box along the axes around an object.
CullideStatus cullide_aabb(const struct CullideWorld *world, CullideKey key, struct CullideAabb *aabb);

// Whether a key is that of a plane: 1 if so, 0 for an object or `CULLIDE_NONE`.
uint8_t cullide_key_is_plane(CullideKey key);

// Lists what is nearest to a point within `max_distance`, nearest first, at most `capacity` things; `total` is their
// number.
CullideStatus cullide_nearest(const struct CullideWorld *world,
                              struct CullideVec3 point,
                              float max_distance,
                              const struct CullideFilter *filter,
                              struct CullideNear *near,
                              size_t capacity,
                              size_t *total);

// Lists what is nearest to a shape at a pose within `max_distance`, as `cullide_nearest` does for a point. What overlaps
// comes first, the deepest before the others.
CullideStatus cullide_nearest_to_shape(const struct CullideWorld *world,
                                       const struct CullideShape *shape,
                                       struct CullidePose pose,
                                       float max_distance,
                                       const struct CullideFilter *filter,
                                       struct CullideNearShape *near,
                                       size_t capacity,
                                       size_t *total);

// Lists everything that a shape touches at a pose.
CullideStatus cullide_overlap(const struct CullideWorld *world,
                              const struct CullideShape *shape,
                              struct CullidePose pose,
                              const struct CullideFilter *filter,
                              CullideKey *keys,
                              size_t capacity,
                              size_t *total);

// Writes whether a shape touches anything at a pose, 1 or 0: whether there is no room for it. What lies on a floor
// touches the floor.
CullideStatus cullide_any_overlap(const struct CullideWorld *world,
                                  const struct CullideShape *shape,
                                  struct CullidePose pose,
                                  const struct CullideFilter *filter,
                                  uint8_t *any);

// Lists what each of `count` shapes touches, on several threads. The keys of all follow each other in `keys`: those of
// shape i are `keys[ends[i - 1]]` to before `keys[ends[i]]`, those of the first from `keys[0]` on. `ends` has room for
// `count` numbers, and is right even where `keys` is too short.
CullideStatus cullide_overlap_batch(const struct CullideWorld *world,
                                    const struct CullidePlacedShape *shapes,
                                    size_t count,
                                    const struct CullideFilter *filter,
                                    size_t *ends,
                                    CullideKey *keys,
                                    size_t capacity,
                                    size_t *total);

// Lists everything that contains a point.
CullideStatus cullide_overlap_point(const struct CullideWorld *world,
                                    struct CullideVec3 point,
                                    const struct CullideFilter *filter,
                                    CullideKey *keys,
                                    size_t capacity,
                                    size_t *total);

// Finds the pairs of objects whose boxes overlap, at least one of which is moving and each of which pairs with a layer of
// the other. The box of an object with a velocity covers its way over the next `dt` seconds. Not needed where rigid
// bodies are stepped, which does the same.
CullideStatus cullide_update_pairs(struct CullideWorld *world,
                                   float dt);

// Lists the pairs of the last update, in an order that depends only on the edits: `which` is `CULLIDE_PAIRS`, `CULLIDE_PAIRS_BEGUN` or
// `CULLIDE_PAIRS_ENDED`.
CullideStatus cullide_pairs(const struct CullideWorld *world,
                            uint32_t which,
                            struct CullidePair *pairs,
                            size_t capacity,
                            size_t *total);

// Inserts an infinite plane and writes its key. `kind` is `CULLIDE_HALF_SPACE` or `CULLIDE_WALL`.
CullideStatus cullide_insert_plane(struct CullideWorld *world,
                                   struct CullidePlane plane,
                                   uint32_t kind,
                                   uint32_t layers,
                                   CullideKey *key);

// Moves an infinite plane.
CullideStatus cullide_set_plane(struct CullideWorld *world, CullideKey key, struct CullidePlane plane);

// Writes the first thing that a ray hits within `max_distance`, in units of the scene: INFINITY for no limit. Without a
// hit its target is `CULLIDE_NONE`.
CullideStatus cullide_cast_ray(const struct CullideWorld *world,
                               struct CullideRay ray,
                               float max_distance,
                               const struct CullideFilter *filter,
                               struct CullideRayHit *hit);

// Writes to `hits` what each of `count` rays hits first within `max_distance`, in their order: cheaper than as many calls,
// and on several threads. If one of them has a direction of zero or a number that is not finite, there is no answer.
CullideStatus cullide_cast_rays(const struct CullideWorld *world,
                                const struct CullideRay *rays,
                                size_t count,
                                float max_distance,
                                const struct CullideFilter *filter,
                                struct CullideRayHit *hits);

// Writes whether a ray hits anything within `max_distance`, 1 or 0; cheaper than what it hits.
CullideStatus cullide_any_ray_hit(const struct CullideWorld *world,
                                  struct CullideRay ray,
                                  float max_distance,
                                  const struct CullideFilter *filter,
                                  uint8_t *any);

// Lists everything that a ray hits within `max_distance`, each object once, nearest first.
CullideStatus cullide_cast_ray_all(const struct CullideWorld *world,
                                   struct CullideRay ray,
                                   float max_distance,
                                   const struct CullideFilter *filter,
                                   struct CullideRayHit *hits,
                                   size_t capacity,
                                   size_t *total);

// Writes the first thing that a segment hits; without a hit its target is `CULLIDE_NONE`.
CullideStatus cullide_cast_segment(const struct CullideWorld *world,
                                   struct CullideSegment segment,
                                   const struct CullideFilter *filter,
                                   struct CullideRayHit *hit);

// Writes to `any` for each of `count` segments whether something is in its way, 1 or 0: lines of sight, many at once and
// on several threads.
CullideStatus cullide_any_segment_hits(const struct CullideWorld *world,
                                       const struct CullideSegment *segments,
                                       size_t count,
                                       const struct CullideFilter *filter,
                                       uint8_t *any);

// Creates a box of these half edges, centred at its origin. Rotated by a pose it is an oriented box.
CullideStatus cullide_shape_box(struct CullideVec3 half_extents, struct CullideShape **shape);

// Creates a ball of this radius, centred at its origin.
CullideStatus cullide_shape_ball(float radius, struct CullideShape **shape);

// Creates a capsule along y, centred at its origin: all that is within `radius` of a line from `-half_height` to
// `half_height`. It is `2 (half_height + radius)` high.
CullideStatus cullide_shape_capsule(float half_height, float radius, struct CullideShape **shape);

// Creates a cylinder along y, centred at its origin, `2 half_height` high, with the radii of its lower and its upper
// end: a cone if the upper one is 0.
CullideStatus cullide_shape_cylinder(float half_height,
                                     float lower_radius,
                                     float upper_radius,
                                     struct CullideShape **shape);

// Creates the convex hull of points, of which four must not lie in a plane.
CullideStatus cullide_shape_hull(const struct CullideVec3 *points, size_t count, struct CullideShape **shape);

// Creates the convex solid behind all of these planes, which must close it.
CullideStatus cullide_shape_brush(const struct CullidePlane *planes, size_t count, struct CullideShape **shape);

// Creates a mesh: a surface of triangles, each given by the numbers of three vertices. `triangle_count` triangles have
// three times as many `indices`. `sides` is `CULLIDE_BOTH_SIDES` or `CULLIDE_FRONT_SIDE`. `surfaces` holds a number of
// the caller's for each triangle, such as its material, which hits report; NULL for none.
CullideStatus cullide_shape_mesh(const struct CullideVec3 *vertices,
                                 size_t vertex_count,
                                 const uint32_t *indices,
                                 size_t triangle_count,
                                 uint32_t sides,
                                 const uint16_t *surfaces,
                                 struct CullideShape **shape);

// Creates a compound: several shapes at poses, which move as one. Its parts are numbered in their order; `surfaces` as for
// a mesh, one for each child. A child may not be a compound itself.
CullideStatus cullide_shape_compound(const struct CullidePlacedShape *children,
                                     size_t count,
                                     const uint16_t *surfaces,
                                     struct CullideShape **shape);

// Creates a mesh or a compound scaled about its origin, which shares its triangles or children with the one that it is
// made from. Negative factors mirror. Scale other shapes by their sizes.
CullideStatus cullide_shape_scaled(const struct CullideShape *of,
                                   struct CullideVec3 scale,
                                   struct CullideShape **shape);

// Frees a shape; NULL does nothing. What was made with it stays.
void cullide_shape_free(struct CullideShape *shape);

// Saves a world; `cullide_snapshot_free` frees the snapshot. To go back within one program, a clone is cheaper.
CullideStatus cullide_world_save(const struct CullideWorld *world, struct CullideSnapshot **snapshot);

// Saves the rigid bodies of a world, beside the world.
CullideStatus cullide_dynamics_save(const struct CullideDynamics *dynamics,
                                    const struct CullideWorld *world,
                                    struct CullideSnapshot **snapshot);

// Saves a character.
CullideStatus cullide_character_save(const struct CullideCharacter *character, struct CullideSnapshot **snapshot);

// Lists the bytes of a snapshot.
CullideStatus cullide_snapshot_bytes(const struct CullideSnapshot *snapshot,
                                     uint8_t *bytes,
                                     size_t capacity,
                                     size_t *total);

// Frees a snapshot; NULL does nothing.
void cullide_snapshot_free(struct CullideSnapshot *snapshot);

// Creates the world that the bytes of a snapshot were made from: it continues bit for bit as that one would have, with
// the same keys. Bytes from elsewhere may be refused, and take memory of some hundred times their length.
CullideStatus cullide_world_restore(const uint8_t *bytes, size_t count, struct CullideWorld **world);

// Creates the dynamics that the bytes of a snapshot were made from, for the world that was saved beside it.
CullideStatus cullide_dynamics_restore(const uint8_t *bytes,
                                       size_t count,
                                       const struct CullideWorld *world,
                                       struct CullideDynamics **dynamics);

// Creates the character that the bytes of a snapshot were made from.
CullideStatus cullide_character_restore(const uint8_t *bytes, size_t count, struct CullideCharacter **character);

// Returns what was wrong with the last call of this thread that failed, and what to do about it: UTF-8 that ends with a
// zero, empty if none has failed. It stays valid until another call of this thread fails; it is the library's.
const char *cullide_last_error(void);

// Writes where a moving shape stops, and at what.
CullideStatus cullide_sweep(const struct CullideWorld *world,
                            const struct CullideMotion *motion,
                            const struct CullideFilter *filter,
                            struct CullideSwept *swept);

// Writes where each of `count` moving shapes stops, each as if it were alone, to `swept`; on several threads.
CullideStatus cullide_sweep_batch(const struct CullideWorld *world,
                                  const struct CullideMotion *motions,
                                  size_t count,
                                  const struct CullideFilter *filter,
                                  struct CullideSwept *swept);

// Writes where a shape stops that turns about its own origin on its way, and at what: the direction of `turn` is the axis,
// its length the angle in radians over the motion. What comes as near as `skin` counts as touched, a length such as a
// thousandth of the shape's size. `rotation` becomes that of the pose at the end.
CullideStatus cullide_sweep_turning(const struct CullideWorld *world,
                                    const struct CullideMotion *motion,
                                    struct CullideVec3 turn,
                                    float skin,
                                    const struct CullideFilter *filter,
                                    struct CullideSwept *swept,
                                    struct CullideQuat *rotation);

// Lists what a moving shape touches on its way as if nothing stopped it, each object once, in the order of time. What it
// overlaps at the start is not among them: `cullide_overlap` lists that.
CullideStatus cullide_sweep_all(const struct CullideWorld *world,
                                const struct CullideMotion *motion,
                                const struct CullideFilter *filter,
                                struct CullideShapeHit *hits,
                                size_t capacity,
                                size_t *total);

// Writes where a shape gets that slides along what it meets, and lists what that was, in order. A shape that overlaps
// something at the start is pushed out first.
CullideStatus cullide_slide(const struct CullideWorld *world,
                            const struct CullideMotion *motion,
                            const struct CullideFilter *filter,
                            struct CullideSlid *slid,
                            struct CullideSlideContact *contacts,
                            size_t capacity,
                            size_t *total);

// Looks for a place near by where a shape overlaps nothing. Writes 1 to `found` and the position of its pose there, that of
// the pose itself if it is free; or 0, if there is none near by, and leaves the position alone.
CullideStatus cullide_depenetrate(const struct CullideWorld *world,
                                  const struct CullideShape *shape,
                                  struct CullidePose pose,
                                  const struct CullideFilter *filter,
                                  struct CullideVec3 *position,
                                  uint8_t *found);

// Creates a terrain: heights over a grid of `columns` samples along x and `rows` along z, row by row. The first one is at
// `x`, `z`, and the next ones follow at distances of `spacing_x` and `spacing_z`. `sides` as for a mesh; the front is
// above. Each cell between four samples is two triangles, which are the parts that hits report.
CullideStatus cullide_shape_terrain(uint32_t columns,
                                    uint32_t rows,
                                    const float *heights,
                                    float x,
                                    float z,
                                    float spacing_x,
                                    float spacing_z,
                                    uint32_t sides,
                                    struct CullideShape **shape);

// Sets the heights of `columns` by `rows` samples of a terrain in the world, from the sample `column`, `row` on, row by
// row.
CullideStatus cullide_terrain_edit(struct CullideWorld *world,
                                   CullideKey key,
                                   uint32_t column,
                                   uint32_t row,
                                   uint32_t columns,
                                   uint32_t rows,
                                   const float *heights);

// Removes `columns` by `rows` cells of a terrain in the world, from the cell `column`, `row` on: holes.
CullideStatus cullide_terrain_dig(struct CullideWorld *world,
                                  CullideKey key,
                                  uint32_t column,
                                  uint32_t row,
                                  uint32_t columns,
                                  uint32_t rows);

// Puts back what `cullide_terrain_dig` has removed.
CullideStatus cullide_terrain_fill(struct CullideWorld *world,
                                   CullideKey key,
                                   uint32_t column,
                                   uint32_t row,
                                   uint32_t columns,
                                   uint32_t rows);

// Gives `columns` by `rows` cells of a terrain in the world a number of the caller's, such as that of a material, which
// hits report as their `surface`; 0 at first.
CullideStatus cullide_terrain_set_surface(struct CullideWorld *world,
                                          CullideKey key,
                                          uint32_t column,
                                          uint32_t row,
                                          uint32_t columns,
                                          uint32_t rows,
                                          uint16_t surface);

// Creates triggers without a volume, which `cullide_triggers_free` frees.
CullideStatus cullide_triggers_new(struct CullideTriggers **triggers);

// Frees triggers; NULL does nothing. The objects stay in their world.
void cullide_triggers_free(struct CullideTriggers *triggers);

// Makes an object a volume that watches objects in these layers, or with no layers an object like others. A volume that
// is in no layer itself is in nobody's way.
CullideStatus cullide_triggers_watch(struct CullideTriggers *triggers,
                                     const struct CullideWorld *world,
                                     CullideKey volume,
                                     uint32_t layers);

// Finds out what of that which the filter accepts is in the volumes now: call it once a frame, after everything has moved.
CullideStatus cullide_triggers_update(struct CullideTriggers *triggers,
                                      const struct CullideWorld *world,
                                      const struct CullideFilter *filter);

// Lists volumes, each as the first of a pair with what has entered or left it: `which` is `CULLIDE_ENTERED` or
// `CULLIDE_LEFT`.
CullideStatus cullide_triggers_events(const struct CullideTriggers *triggers,
                                      uint32_t which,
                                      struct CullidePair *pairs,
                                      size_t capacity,
                                      size_t *total);

// Lists what was in a volume at the last update.
CullideStatus cullide_triggers_inside(const struct CullideTriggers *triggers,
                                      const struct CullideWorld *world,
                                      CullideKey volume,
                                      CullideKey *keys,
                                      size_t capacity,
                                      size_t *total);

// Returns the filter that considers everything, to change from there.
struct CullideFilter cullide_filter_all(void);

// Creates an empty world, which `cullide_world_free` frees.
//
// `tag` is a number of the caller's: worlds with the same tag give out the same keys and snapshots of the same bytes
// after the same calls, on any machine; rigid bodies refuse a world of another tag. Give the worlds of one program
// different ones.
CullideStatus cullide_world_new(uint32_t tag, struct CullideWorld **world);

// Creates a copy of a world, which has the same keys and gives the same answers, to go back to or to compute ahead with;
// `cullide_world_free` frees it. What is fixed is shared until one of the two changes it, so copies cost little.
CullideStatus cullide_world_clone(const struct CullideWorld *world,
                                  struct CullideWorld **copy);

// Frees a world; NULL does nothing. What else was made with it stays valid, but only for other worlds of the same tag.
void cullide_world_free(struct CullideWorld *world);

// Writes a hash of everything in the world that a query or a step may depend on, the same on every platform: two worlds
// that have the same are the same.
CullideStatus cullide_world_hash(const struct CullideWorld *world, uint64_t *hash);

// Rebuilds the trees for the fastest queries, worth it once after a level was loaded. No answer changes.
CullideStatus cullide_world_optimize(struct CullideWorld *world);

// Removes all objects and planes; their keys become stale.
CullideStatus cullide_world_clear(struct CullideWorld *world);

// Lists the keys of all objects, and after them those of all planes.
CullideStatus cullide_world_keys(const struct CullideWorld *world, CullideKey *keys, size_t capacity, size_t *total);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CULLIDE_H */

// Checks that this header belongs to the library: call it first.
static inline CullideStatus cullide_check(void)
{
    const size_t sizes[] = {
        sizeof(CullideVec3),
        sizeof(CullideQuat),
        sizeof(CullidePose),
        sizeof(CullideAabb),
        sizeof(CullideRay),
        sizeof(CullideSegment),
        sizeof(CullidePlane),
        sizeof(CullideFilter),
        sizeof(CullideObject),
        sizeof(CullidePlacedShape),
        sizeof(CullideRayHit),
        sizeof(CullideNear),
        sizeof(CullideNearShape),
        sizeof(CullideMotion),
        sizeof(CullideShapeHit),
        sizeof(CullideSwept),
        sizeof(CullideSlideContact),
        sizeof(CullideSlid),
        sizeof(CullidePair),
        sizeof(CullideMover),
        sizeof(CullideGround),
        sizeof(CullideCharacterState),
        sizeof(CullideWalk),
        sizeof(CullidePush),
        sizeof(CullideMaterial),
        sizeof(CullideRigidBody),
        sizeof(CullideDynamicsConfig),
        sizeof(CullideStepReport),
        sizeof(CullideBodyState),
        sizeof(CullideMoved),
        sizeof(CullideImpact),
        sizeof(CullideContactPoint),
    };
    return cullide_abi_check(CULLIDE_ABI_VERSION, sizes, sizeof(sizes) / sizeof(sizes[0]));
}

// A point or a direction.
static inline CullideVec3 cullide_vec3(float x, float y, float z)
{
    CullideVec3 v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

// A pose without rotation.
static inline CullidePose cullide_at(float x, float y, float z)
{
    CullidePose pose;
    pose.rotation.x = pose.rotation.y = pose.rotation.z = 0.0f;
    pose.rotation.w = 1.0f;
    pose.position = cullide_vec3(x, y, z);
    return pose;
}
