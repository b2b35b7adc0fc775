// Cullide for C#: collision queries, characters, rigid bodies. For Unity, put this file and the library (cullide.dll,
// libcullide.so or libcullide.dylib) into Assets/Plugins, and allow unsafe code. C# 7 or later.
//
// First the safe wrapper, then every function and structure of cullide.h as CullideNative, where the documentation is.

namespace Cullide
{
    using System;
    using System.Runtime.InteropServices;
    using CullideNative;

    /// <summary>A call that failed: what was wrong, and what to do about it.</summary>
    public sealed class CullideException : Exception
    {
        public readonly CullideStatus Status;

        internal CullideException(CullideStatus status, string message) : base(message)
        {
            Status = status;
        }

        /// <summary>Throws unless a call has succeeded.</summary>
        public static unsafe void Check(CullideStatus status)
        {
            if (status != CullideStatus.Ok)
                throw new CullideException(status, Marshal.PtrToStringAnsi((IntPtr)Native.cullide_last_error()));
        }

        /// <summary>Checks that these declarations belong to the library that was found. Call it first.</summary>
        public static unsafe void CheckLibrary()
        {
            UIntPtr* sizes = stackalloc UIntPtr[Sizes.Length];
            for (int i = 0; i < Sizes.Length; i++)
                sizes[i] = (UIntPtr)Marshal.SizeOf(Sizes[i]);
            Check(Native.cullide_abi_check(Native.CULLIDE_ABI_VERSION, sizes, (UIntPtr)Sizes.Length));
        }

        // In the order of cullide_check() in cullide.h.
        static readonly Type[] Sizes =
        {
            typeof(CullideVec3), typeof(CullideQuat), typeof(CullidePose), typeof(CullideAabb), typeof(CullideRay),
            typeof(CullideSegment), typeof(CullidePlane), typeof(CullideFilter), typeof(CullideObject),
            typeof(CullidePlacedShape), typeof(CullideRayHit), typeof(CullideNear), typeof(CullideNearShape),
            typeof(CullideMotion), typeof(CullideShapeHit), typeof(CullideSwept), typeof(CullideSlideContact),
            typeof(CullideSlid), typeof(CullidePair), typeof(CullideMover), typeof(CullideGround),
            typeof(CullideCharacterState), typeof(CullideWalk), typeof(CullidePush), typeof(CullideMaterial),
            typeof(CullideRigidBody), typeof(CullideDynamicsConfig), typeof(CullideStepReport), typeof(CullideBodyState),
            typeof(CullideMoved), typeof(CullideImpact), typeof(CullideContactPoint),
        };
    }

    /// <summary>Vectors and poses in a line.</summary>
    public static class Make
    {
        public static CullideVec3 Vec3(float x, float y, float z)
        {
            return new CullideVec3 { x = x, y = y, z = z };
        }

        public static CullidePose At(float x, float y, float z)
        {
            return new CullidePose { rotation = new CullideQuat { w = 1 }, position = Vec3(x, y, z) };
        }
    }

    /// <summary>A shape about its own origin; it may be disposed of once it was used.</summary>
    public sealed unsafe class Shape : SafeHandle
    {
        Shape(CullideShape* shape) : base(IntPtr.Zero, true)
        {
            SetHandle((IntPtr)shape);
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        internal CullideShape* Pointer { get { return (CullideShape*)Handles.Live(this, handle); } }

        protected override bool ReleaseHandle()
        {
            Native.cullide_shape_free((CullideShape*)handle);
            return true;
        }

        public static Shape Box(CullideVec3 halfExtents)
        {
            CullideShape* shape;
            CullideException.Check(Native.cullide_shape_box(halfExtents, &shape));
            return new Shape(shape);
        }

        public static Shape Ball(float radius)
        {
            CullideShape* shape;
            CullideException.Check(Native.cullide_shape_ball(radius, &shape));
            return new Shape(shape);
        }

        public static Shape Capsule(float halfHeight, float radius)
        {
            CullideShape* shape;
            CullideException.Check(Native.cullide_shape_capsule(halfHeight, radius, &shape));
            return new Shape(shape);
        }

        public static Shape Cylinder(float halfHeight, float lowerRadius, float upperRadius)
        {
            CullideShape* shape;
            CullideException.Check(Native.cullide_shape_cylinder(halfHeight, lowerRadius, upperRadius, &shape));
            return new Shape(shape);
        }

        public static Shape Hull(CullideVec3[] points)
        {
            CullideShape* shape;
            fixed (CullideVec3* data = points)
                CullideException.Check(Native.cullide_shape_hull(data, (UIntPtr)points.Length, &shape));
            return new Shape(shape);
        }

        /// <summary>A mesh, as Unity has it: three indices a triangle.</summary>
        public static Shape Mesh(CullideVec3[] vertices, uint[] indices, uint sides = Native.CULLIDE_BOTH_SIDES)
        {
            if (indices.Length % 3 != 0)
                throw new ArgumentException("give three indices a triangle", "indices");
            CullideShape* shape;
            fixed (CullideVec3* data = vertices)
            fixed (uint* corners = indices)
            {
                UIntPtr count = (UIntPtr)vertices.Length, triangles = (UIntPtr)(indices.Length / 3);
                CullideException.Check(Native.cullide_shape_mesh(data, count, corners, triangles, sides, null, &shape));
            }
            return new Shape(shape);
        }
    }

    /// <summary>A scene of objects and planes. Other functions of CullideNative take its Pointer.</summary>
    public sealed unsafe class World : SafeHandle
    {
        public World(uint tag) : base(IntPtr.Zero, true)
        {
            CullideWorld* world;
            CullideException.Check(Native.cullide_world_new(tag, &world));
            SetHandle((IntPtr)world);
        }

        World(CullideWorld* world) : base(IntPtr.Zero, true)
        {
            SetHandle((IntPtr)world);
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        /// <summary>Valid until this is disposed of, which must not happen during a call.</summary>
        public CullideWorld* Pointer { get { return (CullideWorld*)Handles.Live(this, handle); } }

        protected override bool ReleaseHandle()
        {
            Native.cullide_world_free((CullideWorld*)handle);
            return true;
        }

        public World Clone()
        {
            CullideWorld* copy;
            CullideException.Check(Native.cullide_world_clone(Pointer, &copy));
            return new World(copy);
        }

        public ulong Insert(Shape shape, CullidePose pose, uint mobility = Native.CULLIDE_FIXED, uint layers = uint.MaxValue, ulong user = 0)
        {
            CullideObject made = Native.cullide_object(shape.Pointer);
            made.pose = pose;
            made.mobility = mobility;
            made.layers = layers;
            made.user = user;
            ulong key;
            CullideException.Check(Native.cullide_insert(Pointer, &made, (UIntPtr)1, &key));
            GC.KeepAlive(shape);
            return key;
        }

        public ulong InsertPlane(CullideVec3 normal, float d, uint kind = Native.CULLIDE_HALF_SPACE, uint layers = uint.MaxValue)
        {
            ulong key;
            CullidePlane plane = new CullidePlane { normal = normal, d = d };
            CullideException.Check(Native.cullide_insert_plane(Pointer, plane, kind, layers, &key));
            return key;
        }

        public void Remove(ulong key)
        {
            CullideException.Check(Native.cullide_remove(Pointer, key));
        }

        public void SetPoses(ulong[] keys, CullidePose[] poses)
        {
            if (keys.Length != poses.Length)
                throw new ArgumentException("give a pose for each key", "poses");
            fixed (ulong* of = keys)
            fixed (CullidePose* at = poses)
                CullideException.Check(Native.cullide_set_poses(Pointer, of, at, (UIntPtr)keys.Length));
        }

        public CullidePose PoseOf(ulong key)
        {
            CullidePose pose;
            CullideException.Check(Native.cullide_poses(Pointer, &key, &pose, (UIntPtr)1));
            return pose;
        }

        public bool CastRay(CullideRay ray, float maxDistance, out CullideRayHit hit, CullideFilter? filter = null)
        {
            CullideFilter given = filter.GetValueOrDefault();
            fixed (CullideRayHit* place = &hit)
                CullideException.Check(Native.cullide_cast_ray(Pointer, ray, maxDistance, filter.HasValue ? &given : null, place));
            return hit.target != Native.CULLIDE_NONE;
        }

        public void CastRays(CullideRay[] rays, float maxDistance, CullideRayHit[] hits, CullideFilter? filter = null)
        {
            if (hits.Length < rays.Length)
                throw new ArgumentException("give room for a hit of each ray", "hits");
            CullideFilter given = filter.GetValueOrDefault();
            fixed (CullideRay* from = rays)
            fixed (CullideRayHit* to = hits)
            {
                CullideFilter* used = filter.HasValue ? &given : null;
                CullideException.Check(Native.cullide_cast_rays(Pointer, from, (UIntPtr)rays.Length, maxDistance, used, to));
            }
        }

        /// <summary>Fills keys with what a shape touches, and returns how many there are, which may be more.</summary>
        public int Overlap(Shape shape, CullidePose pose, ulong[] keys, CullideFilter? filter = null)
        {
            CullideFilter given = filter.GetValueOrDefault();
            UIntPtr total;
            fixed (ulong* data = keys)
            {
                CullideFilter* used = filter.HasValue ? &given : null;
                CullideException.Check(
                    Native.cullide_overlap(Pointer, shape.Pointer, pose, used, data, (UIntPtr)keys.Length, &total));
            }
            GC.KeepAlive(shape);
            return (int)total;
        }

        public CullideSwept Sweep(Shape shape, CullidePose pose, CullideVec3 motion, CullideFilter? filter = null)
        {
            CullideFilter given = filter.GetValueOrDefault();
            CullideMotion moving = new CullideMotion { shape = shape.Pointer, pose = pose, motion = motion };
            CullideSwept swept;
            CullideException.Check(Native.cullide_sweep(Pointer, &moving, filter.HasValue ? &given : null, &swept));
            GC.KeepAlive(shape);
            return swept;
        }

        public byte[] Save()
        {
            CullideSnapshot* snapshot;
            CullideException.Check(Native.cullide_world_save(Pointer, &snapshot));
            return Handles.Bytes(snapshot);
        }

        public static World Restore(byte[] bytes)
        {
            CullideWorld* world;
            fixed (byte* data = bytes)
                CullideException.Check(Native.cullide_world_restore(data, (UIntPtr)bytes.Length, &world));
            return new World(world);
        }

        public ulong Hash()
        {
            ulong hash;
            CullideException.Check(Native.cullide_world_hash(Pointer, &hash));
            return hash;
        }
    }

    /// <summary>The rigid bodies of one world.</summary>
    public sealed unsafe class Dynamics : SafeHandle
    {
        public CullideDynamicsConfig Config = Native.cullide_dynamics_config();

        public Dynamics() : base(IntPtr.Zero, true)
        {
            CullideDynamics* dynamics;
            CullideException.Check(Native.cullide_dynamics_new(&dynamics));
            SetHandle((IntPtr)dynamics);
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        /// <summary>Valid until this is disposed of, which must not happen during a call.</summary>
        public CullideDynamics* Pointer { get { return (CullideDynamics*)Handles.Live(this, handle); } }

        protected override bool ReleaseHandle()
        {
            Native.cullide_dynamics_free((CullideDynamics*)handle);
            return true;
        }

        public void Insert(World world, ulong key, CullideRigidBody body)
        {
            CullideException.Check(Native.cullide_body_insert(Pointer, world.Pointer, key, &body));
        }

        public void ApplyImpulse(World world, ulong key, CullideVec3 impulse, CullideVec3 point)
        {
            CullideException.Check(Native.cullide_body_apply_impulse(Pointer, world.Pointer, key, impulse, point));
        }

        public CullideStepReport Step(World world, float dt)
        {
            CullideStepReport report;
            fixed (CullideDynamicsConfig* config = &Config)
                CullideException.Check(Native.cullide_step(Pointer, world.Pointer, dt, config, &report));
            return report;
        }

        /// <summary>Fills moved with the bodies that the last step has moved, and returns how many there are.</summary>
        public int Moved(World world, CullideMoved[] moved)
        {
            UIntPtr total;
            fixed (CullideMoved* data = moved)
                CullideException.Check(Native.cullide_moved(Pointer, world.Pointer, data, (UIntPtr)moved.Length, &total));
            return (int)total;
        }

        public ulong Hash(World world)
        {
            ulong hash;
            CullideException.Check(Native.cullide_dynamics_hash(Pointer, world.Pointer, &hash));
            return hash;
        }
    }

    /// <summary>A character that walks.</summary>
    public sealed unsafe class Character : SafeHandle
    {
        public CullideMover Mover = Native.cullide_mover();

        public Character(Shape shape, CullidePose pose) : base(IntPtr.Zero, true)
        {
            CullideCharacter* character;
            CullideException.Check(Native.cullide_character_new(shape.Pointer, pose, &character));
            SetHandle((IntPtr)character);
            GC.KeepAlive(shape);
        }

        public override bool IsInvalid { get { return handle == IntPtr.Zero; } }

        /// <summary>Valid until this is disposed of, which must not happen during a call.</summary>
        public CullideCharacter* Pointer { get { return (CullideCharacter*)Handles.Live(this, handle); } }

        protected override bool ReleaseHandle()
        {
            Native.cullide_character_free((CullideCharacter*)handle);
            return true;
        }

        /// <summary>Walks at a velocity, and among bodies if there are any.</summary>
        public CullideWalk Walk(World world, Dynamics dynamics, CullideVec3 velocity, float dt)
        {
            CullideWalk walk;
            CullideException.Check(Native.cullide_character_set_velocity(Pointer, velocity));
            fixed (CullideMover* mover = &Mover)
            {
                CullideDynamics* bodies = dynamics == null ? null : dynamics.Pointer;
                CullideException.Check(Native.cullide_character_walk(Pointer, world.Pointer, bodies, mover, dt, null, &walk));
            }
            return walk;
        }
    }

    static unsafe class Handles
    {
        internal static IntPtr Live(SafeHandle owner, IntPtr handle)
        {
            if (owner.IsClosed)
                throw new ObjectDisposedException(owner.GetType().Name);
            return handle;
        }

        internal static byte[] Bytes(CullideSnapshot* snapshot)
        {
            try
            {
                UIntPtr total;
                CullideException.Check(Native.cullide_snapshot_bytes(snapshot, null, UIntPtr.Zero, &total));
                byte[] bytes = new byte[(int)total];
                fixed (byte* data = bytes)
                    CullideException.Check(Native.cullide_snapshot_bytes(snapshot, data, total, &total));
                return bytes;
            }
            finally
            {
                Native.cullide_snapshot_free(snapshot);
            }
        }
    }
}

// ==== Written from cullide.h; see the README for how.
namespace CullideNative
{
    using System;
    using System.Runtime.InteropServices;

    /// <summary>How a call ended. `cullide_last_error` says more about all but the first.</summary>
    public enum CullideStatus
    {
        /// <summary>The call did what it says.</summary>
        Ok = 0,
        /// <summary>A pointer that must not be NULL is, or is not aligned for what it points to.</summary>
        NullPointer = 1,
        /// <summary>A count does not fit another one, or is larger than memory.</summary>
        BadLength = 2,
        /// <summary>The key names nothing in this world: it was removed, or never existed.</summary>
        StaleKey = 3,
        /// <summary>A number is not finite or out of range, or numbers do not make up a shape.</summary>
        BadValue = 4,
        /// <summary>A number stands for none of the listed choices.</summary>
        BadChoice = 5,
        /// <summary>This kind of shape cannot be used for this, such as a mesh for a shape that moves.</summary>
        WrongShape = 6,
        /// <summary>Bodies of one world with another world.</summary>
        OtherWorld = 7,
        /// <summary>Bytes that are no snapshot of this kind or of this version.</summary>
        BadSnapshot = 8,
        /// <summary>The header does not belong to this library.</summary>
        OtherVersion = 9,
        /// <summary>A fault of the library. Free the handles of the call and nothing else; please report it with the message.</summary>
        Panic = 10,
    }

    /// <summary>A character: its shape, where it is, its velocity, and what it stands on. Nothing in the world meets it, unless it has
    /// an object there.</summary>
    public struct CullideCharacter
    {
    }

    /// <summary>The rigid bodies of one world: what steps know about them beside their objects.</summary>
    public struct CullideDynamics
    {
    }

    /// <summary>A shape about its own origin: to be inserted any number of times, and to ask with.
    /// 
    /// It cannot be changed, and what is made from it keeps what it needs, so it may be freed at any time.</summary>
    public struct CullideShape
    {
    }

    /// <summary>Bytes that a world, its bodies or a character can be restored from, on any machine.</summary>
    public struct CullideSnapshot
    {
    }

    /// <summary>Volumes of one world, which are objects of it, and what is in them.</summary>
    public struct CullideTriggers
    {
    }

    /// <summary>A scene of objects and infinite planes.</summary>
    public struct CullideWorld
    {
    }

    /// <summary>A point, a direction or a size, in units of the scene.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideVec3
    {
        public float x;
        public float y;
        public float z;
    }

    /// <summary>Settings of a step.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideDynamicsConfig
    {
        /// <summary>In units per second squared.</summary>
        public CullideVec3 gravity;
        /// <summary>The number of equal parts into which a step is divided, 1 to `CULLIDE_MAX_SUBSTEPS`.</summary>
        public uint substeps;
        /// <summary>How far apart bodies come to rest, a length.</summary>
        public float skin;
        /// <summary>The distance up to which contacts are known.</summary>
        public float margin;
        /// <summary>The greatest speed at which bodies that penetrate are pushed apart, in units per second.</summary>
        public float push_speed;
        /// <summary>Slower approaches do not rebound, in units per second.</summary>
        public float restitution_speed;
        /// <summary>A body slower than this for `sleep_seconds` may fall asleep.</summary>
        public float sleep_speed;
        /// <summary>See `sleep_speed`.</summary>
        public float sleep_seconds;
    }

    /// <summary>How a surface behaves in contact.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideMaterial
    {
        /// <summary>Coulomb's coefficient of friction, 0 or more.</summary>
        public float friction;
        /// <summary>The fraction of the speed of approach with which the two part, 0 to 1.</summary>
        public float restitution;
        /// <summary>The tangent of the steepest slope on which a ball stays put, 0 or more.</summary>
        public float rolling_resistance;
        /// <summary>How fast the surface itself runs, as that of a conveyor belt does, in units per second.</summary>
        public CullideVec3 surface_velocity;
    }

    /// <summary>The description of a rigid body.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideRigidBody
    {
        /// <summary>`CULLIDE_DYNAMIC` or `CULLIDE_KINEMATIC`.</summary>
        public uint kind;
        /// <summary>`CULLIDE_MASS_DENSITY`, `CULLIDE_MASS_TOTAL` or `CULLIDE_MASS_GIVEN`; the mass of a kinematic body does not matter.</summary>
        public uint mass_kind;
        /// <summary>More than 0.</summary>
        public float mass;
        /// <summary>For `CULLIDE_MASS_GIVEN`, the centre of mass about the origin of the shape.</summary>
        public CullideVec3 center;
        /// <summary>For `CULLIDE_MASS_GIVEN`, the columns of the tensor of inertia about the centre of mass.</summary>
        public CullideVec3 inertia0;
        /// <summary>For `CULLIDE_MASS_GIVEN`, the columns of the tensor of inertia about the centre of mass.</summary>
        public CullideVec3 inertia1;
        /// <summary>For `CULLIDE_MASS_GIVEN`, the columns of the tensor of inertia about the centre of mass.</summary>
        public CullideVec3 inertia2;
        /// <summary>How its surface behaves.</summary>
        public CullideMaterial material;
        /// <summary>The velocity of its centre, in units per second.</summary>
        public CullideVec3 velocity;
        /// <summary>In radians per second.</summary>
        public CullideVec3 angular_velocity;
        /// <summary>The multiple of gravity that it feels.</summary>
        public float gravity_scale;
        /// <summary>The rate at which it loses its velocity, per second, 0 for none.</summary>
        public float linear_damping;
        /// <summary>The same for its angular velocity.</summary>
        public float angular_damping;
        /// <summary>The axes along which it cannot move: 1 for x, 2 for y, 4 for z, or a sum of them.</summary>
        public byte locked_translation;
        /// <summary>The axes about which it cannot turn.</summary>
        public byte locked_rotation;
        /// <summary>0 if it must stay awake.</summary>
        public byte can_sleep;
        /// <summary>Not 0 if it only reports what it touches.</summary>
        public byte is_sensor;
    }

    /// <summary>A rigid body at one moment.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideBodyState
    {
        /// <summary>The velocity of its centre, in units per second.</summary>
        public CullideVec3 velocity;
        /// <summary>In radians per second.</summary>
        public CullideVec3 angular_velocity;
        /// <summary>Its mass; 0 for a kinematic body.</summary>
        public float mass;
        /// <summary>Its centre of mass, in the world.</summary>
        public CullideVec3 center;
        /// <summary>1 if it sleeps.</summary>
        public byte is_asleep;
    }

    /// <summary>A rotation. It need not be a unit quaternion, but not all zeros: no rotation is 0, 0, 0, 1.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideQuat
    {
        public float x;
        public float y;
        public float z;
        public float w;
    }

    /// <summary>Where something is and how it is turned: its shape is turned about its own origin, which is then put at the position.
    /// `cullide_at(x, y, z)` is a pose without rotation.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullidePose
    {
        public CullideQuat rotation;
        public CullideVec3 position;
    }

    /// <summary>How characters walk.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideMover
    {
        /// <summary>The direction against gravity.</summary>
        public CullideVec3 up;
        /// <summary>The highest step that it climbs, and the deepest that it descends without falling.</summary>
        public float step_height;
        /// <summary>The steepest slope that carries, in radians from level, up to a right angle.</summary>
        public float max_slope;
        /// <summary>In the air, how far below a floor may be to carry.</summary>
        public float landing;
        /// <summary>The force with which it pushes the rigid bodies in its way, in newtons for metres and kilograms.</summary>
        public float push_force;
    }

    /// <summary>What a character stands on.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideGround
    {
        /// <summary>The object or the plane; `CULLIDE_NONE` in the air, and then the rest is 0.</summary>
        public ulong target;
        /// <summary>The triangle of a mesh or a terrain, the child of a compound; otherwise 0.</summary>
        public uint part;
        /// <summary>The caller's number for that part, for example for the sound of footsteps.</summary>
        public ushort surface;
        /// <summary>Its unit normal.</summary>
        public CullideVec3 normal;
        /// <summary>How fast it moves where the character stands, in units per second.</summary>
        public CullideVec3 velocity;
    }

    /// <summary>A character at one moment.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideCharacterState
    {
        /// <summary>The position of the pose of its shape.</summary>
        public CullideVec3 position;
        /// <summary>In units per second; relative to what it stands on.</summary>
        public CullideVec3 velocity;
        /// <summary>What it stands on.</summary>
        public CullideGround ground;
    }

    /// <summary>What a query considers. A NULL filter considers everything.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideFilter
    {
        /// <summary>What shares a layer with this mask; `CULLIDE_ALL_LAYERS` for everything that is in a layer.</summary>
        public uint layers;
        /// <summary>`CULLIDE_FIXED` with planes, `CULLIDE_MOVING`, or `CULLIDE_BOTH`.</summary>
        public uint mobility;
        /// <summary>Keys of objects that are left out; keys that name nothing are ignored. Read during the call only.</summary>
        public ulong* excluded;
        /// <summary>Their number.</summary>
        public UIntPtr excluded_count;
    }

    /// <summary>What a moving shape touches.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideShapeHit
    {
        /// <summary>The object or the plane; `CULLIDE_NONE` if there is none, and then the rest is 0.</summary>
        public ulong target;
        /// <summary>The triangle of a mesh or a terrain, the child of a compound; otherwise 0.</summary>
        public uint part;
        /// <summary>The part of the moving shape that touches it: the child of a compound; otherwise 0.</summary>
        public uint own_part;
        /// <summary>The caller's number for that part of the target.</summary>
        public ushort surface;
        /// <summary>When they touch, as a fraction of the motion, 0 to 1; 0 for an overlap.</summary>
        public float time;
        /// <summary>For an overlap, how far to move along the normal until the two only touch; otherwise 0.</summary>
        public float depth;
        /// <summary>The unit normal of the target, against the motion; for an overlap the direction of the shortest way out.</summary>
        public CullideVec3 normal;
        /// <summary>A point where they touch; 0 for an overlap.</summary>
        public CullideVec3 point;
    }

    /// <summary>What happened in a walk.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideWalk
    {
        /// <summary>The character after it.</summary>
        public CullideCharacterState state;
        /// <summary>How far a step raised it: a camera may want to lag by this much.</summary>
        public float stepped;
        /// <summary>What it still penetrates, because there is no way out near by: it is crushed.</summary>
        public CullideShapeHit overlap;
        /// <summary>The wall in its way that it could not climb; `CULLIDE_NONE` if there was none.</summary>
        public ulong blocked_by;
        /// <summary>How high above its foot it could stand behind that wall; negative if it could not.</summary>
        public float blocked_height;
    }

    /// <summary>A surface that a slide met.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideSlideContact
    {
        /// <summary>The object or the plane.</summary>
        public ulong target;
        /// <summary>Its part.</summary>
        public uint part;
        /// <summary>The caller's number for that part.</summary>
        public ushort surface;
        /// <summary>The unit normal of the surface.</summary>
        public CullideVec3 normal;
        /// <summary>The position of the shape when it met the surface.</summary>
        public CullideVec3 position;
    }

    /// <summary>A rigid body that a character pushed.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullidePush
    {
        /// <summary>The body.</summary>
        public ulong body;
        /// <summary>Where it was pushed.</summary>
        public CullideVec3 point;
        /// <summary>The force.</summary>
        public CullideVec3 force;
    }

    /// <summary>How many of each list a step has made.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideStepReport
    {
        /// <summary>The number of bodies whose pose has changed: `cullide_moved`.</summary>
        public UIntPtr moved;
        /// <summary>The number of pairs that began to touch: `cullide_contact_pairs`.</summary>
        public UIntPtr begun;
        /// <summary>The number of pairs that ceased to touch.</summary>
        public UIntPtr ended;
        /// <summary>The number of dynamic bodies that are awake.</summary>
        public UIntPtr awake;
    }

    /// <summary>A body that a step has moved.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideMoved
    {
        /// <summary>The body.</summary>
        public ulong key;
        /// <summary>The caller's number of its object.</summary>
        public ulong user;
        /// <summary>Where it is now.</summary>
        public CullidePose pose;
    }

    /// <summary>Two things.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullidePair
    {
        /// <summary>The one with the smaller key; of a contact, a dynamic body; of triggers, the volume.</summary>
        public ulong first;
        /// <summary>The other one.</summary>
        public ulong second;
    }

    /// <summary>Two that met in a step.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideImpact
    {
        /// <summary>A dynamic body.</summary>
        public ulong first;
        /// <summary>What it met.</summary>
        public ulong second;
        /// <summary>How hard, as mass times velocity.</summary>
        public float impulse;
    }

    /// <summary>A point where two touch.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideContactPoint
    {
        /// <summary>A dynamic body.</summary>
        public ulong first;
        /// <summary>What it touches.</summary>
        public ulong second;
        /// <summary>The part of the first: the child of a compound; otherwise 0.</summary>
        public uint first_part;
        /// <summary>The part of the second: the triangle of a mesh or a terrain, the child of a compound; otherwise 0.</summary>
        public uint second_part;
        /// <summary>The caller's number for the part of the second.</summary>
        public ushort surface;
        /// <summary>Midway between the two surfaces.</summary>
        public CullideVec3 point;
        /// <summary>The unit direction from the first to the second.</summary>
        public CullideVec3 normal;
        /// <summary>How far apart the two are there; negative if they penetrate.</summary>
        public float separation;
        /// <summary>How hard the step pushed them apart there, as mass times velocity.</summary>
        public float impulse;
    }

    /// <summary>The points x with `normal · x + d = 0`. In front of it is where the normal points to; the length of the normal does
    /// not matter, if `d` is in proportion.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullidePlane
    {
        /// <summary>Not zero.</summary>
        public CullideVec3 normal;
        /// <summary>Minus the height of the plane along a unit normal.</summary>
        public float d;
    }

    /// <summary>An object to insert.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideObject
    {
        /// <summary>Its shape, which the world copies or shares: it may be freed afterwards.</summary>
        public CullideShape* shape;
        /// <summary>Where the shape is put.</summary>
        public CullidePose pose;
        /// <summary>`CULLIDE_FIXED` or `CULLIDE_MOVING`.</summary>
        public uint mobility;
        /// <summary>The layers that it is in; a filter finds it by any of them.</summary>
        public uint layers;
        /// <summary>The layers with whose objects it makes pairs, if these pair with its own, too.</summary>
        public uint pairs_with;
        /// <summary>The caller's number, such as that of an entity.</summary>
        public ulong user;
    }

    /// <summary>A box along the axes.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideAabb
    {
        public CullideVec3 min;
        public CullideVec3 max;
    }

    /// <summary>Something near a point.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideNear
    {
        /// <summary>The object or the plane.</summary>
        public ulong target;
        /// <summary>The triangle of a mesh or a terrain, the child of a compound; otherwise 0.</summary>
        public uint part;
        /// <summary>The caller's number for that part.</summary>
        public ushort surface;
        /// <summary>How far it is; 0 if the point lies inside of it.</summary>
        public float distance;
        /// <summary>The distance from its surface, negative inside.</summary>
        public float separation;
        /// <summary>Its point that is nearest.</summary>
        public CullideVec3 point;
        /// <summary>The unit direction away from it.</summary>
        public CullideVec3 normal;
    }

    /// <summary>Something near a shape.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideNearShape
    {
        /// <summary>The object or the plane.</summary>
        public ulong target;
        /// <summary>How far apart the two are; if they overlap, minus the length of the shortest way out.</summary>
        public double separation;
        /// <summary>The parts of the shape that was asked with and of the target between which this is.</summary>
        public uint parts0;
        /// <summary>The parts of the shape that was asked with and of the target between which this is.</summary>
        public uint parts1;
        /// <summary>The caller's numbers for them.</summary>
        public ushort surfaces0;
        /// <summary>The caller's numbers for them.</summary>
        public ushort surfaces1;
        /// <summary>The unit direction in which to move the shape away from the target.</summary>
        public CullideVec3 normal;
        /// <summary>The nearest points of the shape and of the target.</summary>
        public CullideVec3 points0;
        /// <summary>The nearest points of the shape and of the target.</summary>
        public CullideVec3 points1;
    }

    /// <summary>A shape somewhere.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullidePlacedShape
    {
        /// <summary>The shape.</summary>
        public CullideShape* shape;
        /// <summary>Where it is.</summary>
        public CullidePose pose;
    }

    /// <summary>From where, and in which direction, whose length does not matter.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideRay
    {
        /// <summary>The start.</summary>
        public CullideVec3 origin;
        /// <summary>Not zero.</summary>
        public CullideVec3 direction;
    }

    /// <summary>What a ray or a segment hits.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideRayHit
    {
        /// <summary>The object or the plane; `CULLIDE_NONE` if there is no hit, and then the rest is 0.</summary>
        public ulong target;
        /// <summary>The triangle of a mesh or a terrain, the child of a compound; otherwise 0.</summary>
        public uint part;
        /// <summary>The caller's number for that part.</summary>
        public ushort surface;
        /// <summary>1 if the start lies inside of it: then the distance is 0.</summary>
        public ushort inside;
        /// <summary>For a ray the distance from its origin, for a segment the fraction of its length, 0 to 1.</summary>
        public float distance;
        /// <summary>The same where it leaves the shape again.</summary>
        public float exit;
        /// <summary>Where it enters.</summary>
        public CullideVec3 point;
        /// <summary>The unit normal there.</summary>
        public CullideVec3 normal;
    }

    /// <summary>From one point to another.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideSegment
    {
        /// <summary>The start.</summary>
        public CullideVec3 start;
        /// <summary>The end.</summary>
        public CullideVec3 end;
    }

    /// <summary>A convex shape, or a compound of such, that moves without turning.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideMotion
    {
        /// <summary>The shape; no mesh and no terrain.</summary>
        public CullideShape* shape;
        /// <summary>Where it starts.</summary>
        public CullidePose pose;
        /// <summary>How far it is to go.</summary>
        public CullideVec3 motion;
    }

    /// <summary>Where a sweep ends.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideSwept
    {
        /// <summary>The position of the pose at the end. There, a box, a ball or a capsule penetrates nothing. Another shape penetrates
        /// nothing up to rounding, and may be found to overlap what it touches; `cullide_slide` pushes it out.</summary>
        public CullideVec3 position;
        /// <summary>What stops the shape.</summary>
        public CullideShapeHit hit;
        /// <summary>What it overlaps at the start, the deepest of several: then it has not moved and there is no hit.</summary>
        public CullideShapeHit overlap;
    }

    /// <summary>Where a slide ends.</summary>
    [StructLayout(LayoutKind.Sequential)]
    public unsafe struct CullideSlid
    {
        /// <summary>The position of the pose at the end.</summary>
        public CullideVec3 position;
        /// <summary>What is left of the motion after all contacts: the one to continue with.</summary>
        public CullideVec3 motion;
        /// <summary>What the shape overlapped at the start and could not be pushed out of: then it has not moved.</summary>
        public CullideShapeHit overlap;
    }

    /// <summary>The functions of the library.</summary>
    public static unsafe class Native
    {
        const string Library = "cullide";

        /// <summary>The number of the layout of structures and functions.</summary>
        public const uint CULLIDE_ABI_VERSION = 1;

        /// <summary>Gravity, contacts and forces move it.</summary>
        public const uint CULLIDE_DYNAMIC = 0;

        /// <summary>Only its velocity moves it, and nothing stops it: a lift, a door, a ship. It may be a mesh.</summary>
        public const uint CULLIDE_KINEMATIC = 1;

        /// <summary>`mass` is mass per unit of volume.</summary>
        public const uint CULLIDE_MASS_DENSITY = 0;

        /// <summary>`mass` is the mass of the whole body, spread evenly over its shape.</summary>
        public const uint CULLIDE_MASS_TOTAL = 1;

        /// <summary>`mass`, `center` and `inertia` are given.</summary>
        public const uint CULLIDE_MASS_GIVEN = 2;

        /// <summary>More parts of a step do not make it better, only longer.</summary>
        public const uint CULLIDE_MAX_SUBSTEPS = 1000;

        /// <summary>Those that touch.</summary>
        public const uint CULLIDE_TOUCHING = 0;

        /// <summary>Those that began to touch in the last step.</summary>
        public const uint CULLIDE_TOUCH_BEGUN = 1;

        /// <summary>Those that ceased to touch in the last step.</summary>
        public const uint CULLIDE_TOUCH_ENDED = 2;

        /// <summary>Depths from 0 to 1: Direct3D, Metal, Vulkan, WebGPU, also with reversed z.</summary>
        public const uint CULLIDE_ZERO_TO_ONE = 0;

        /// <summary>Depths from -1 to 1: OpenGL.</summary>
        public const uint CULLIDE_MINUS_ONE_TO_ONE = 1;

        /// <summary>All pairs.</summary>
        public const uint CULLIDE_PAIRS = 0;

        /// <summary>Those that began in the last update.</summary>
        public const uint CULLIDE_PAIRS_BEGUN = 1;

        /// <summary>Those that ended in the last update.</summary>
        public const uint CULLIDE_PAIRS_ENDED = 2;

        /// <summary>A half-space: everything behind the plane is solid, a floor without an end.</summary>
        public const uint CULLIDE_HALF_SPACE = 0;

        /// <summary>A wall without thickness: solid from both sides.</summary>
        public const uint CULLIDE_WALL = 1;

        /// <summary>Found from both sides.</summary>
        public const uint CULLIDE_BOTH_SIDES = 0;

        /// <summary>Found only from where the corners run counter-clockwise.</summary>
        public const uint CULLIDE_FRONT_SIDE = 1;

        /// <summary>What was in a volume at the last update, and not at the one before.</summary>
        public const uint CULLIDE_ENTERED = 0;

        /// <summary>What was in a volume at the update before the last, and not at the last; it may have been removed.</summary>
        public const uint CULLIDE_LEFT = 1;

        /// <summary>Everything, as a mask of layers.</summary>
        public const uint CULLIDE_ALL_LAYERS = uint.MaxValue;

        /// <summary>Does not move, or seldom: walls, floors.</summary>
        public const uint CULLIDE_FIXED = 0;

        /// <summary>Moves in many frames; every rigid body is moving.</summary>
        public const uint CULLIDE_MOVING = 1;

        /// <summary>For filters: fixed and moving objects and planes.</summary>
        public const uint CULLIDE_BOTH = 2;

        /// <summary>No object and no plane.</summary>
        public const uint CULLIDE_NONE = 0;

        /// <summary>Checks that a program was compiled with the header of this library; call it once at the start, best through
        /// `cullide_check()`, which gives it the right arguments.
        /// 
        /// `version` is `CULLIDE_ABI_VERSION`, `sizes` holds the sizes of the structures in the order of `cullide_check()`.
        /// CULLIDE_STATUS_OTHER_VERSION if anything differs: then call nothing else.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_abi_check(uint version, UIntPtr* sizes, UIntPtr count);

        /// <summary>Returns the settings for metres and seconds, with gravity along -y.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideDynamicsConfig cullide_dynamics_config();

        /// <summary>Returns the description of a dynamic body of density 1 at rest.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideRigidBody cullide_rigid_body();

        /// <summary>Creates dynamics without bodies, which `cullide_dynamics_free` frees.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_dynamics_new(CullideDynamics** dynamics);

        /// <summary>Creates a copy of dynamics, for a copy of its world.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_dynamics_clone(CullideDynamics* dynamics, CullideDynamics** copy);

        /// <summary>Frees dynamics; NULL does nothing. The objects stay in their world.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_dynamics_free(CullideDynamics* dynamics);

        /// <summary>Makes an object a rigid body, or gives the body that it is another description. The object becomes moving.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_insert(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideRigidBody* body);

        /// <summary>Makes a rigid body an object like others. To remove both, remove the object.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_remove(CullideDynamics* dynamics, CullideWorld* world, ulong key);

        /// <summary>Reads the state of a rigid body; for its pose, see `cullide_poses`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_state(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideBodyState* state);

        /// <summary>Sets the velocity of a rigid body, in units per second, and its angular velocity, in radians per second.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_set_velocity(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideVec3 velocity, CullideVec3 angular_velocity);

        /// <summary>Gives a kinematic body the velocities with which a step of `dt` seconds takes it to a pose.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_move_to(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullidePose pose, float dt);

        /// <summary>Applies an impulse, of mass times velocity, to a dynamic body at a point of the world. A kinematic one stays as it is.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_apply_impulse(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideVec3 impulse, CullideVec3 point);

        /// <summary>Applies an angular impulse, of moment of inertia times angular velocity, to a dynamic body. A kinematic one stays as it
        /// is.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_apply_angular_impulse(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideVec3 impulse);

        /// <summary>Applies a force at the centre of a dynamic body and a torque during the next step. Kinematic ones and sensors stay as
        /// they are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_apply_force(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideVec3 force, CullideVec3 torque);

        /// <summary>Applies a force at a point of the world to a dynamic body during the next step. Kinematic ones and sensors stay as
        /// they are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_apply_force_at(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideVec3 force, CullideVec3 point);

        /// <summary>Wakes a rigid body, with all that it touches.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_body_wake(CullideDynamics* dynamics, CullideWorld* world, ulong key);

        /// <summary>Sets the material of an object, a rigid body or not, or of a plane.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_material(CullideDynamics* dynamics, CullideWorld* world, ulong key, CullideMaterial* material);

        /// <summary>Makes two objects go through each other (`ignored` not 0), such as the two halves of a hinge, or meet again (0).</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_ignore_pair(CullideDynamics* dynamics, CullideWorld* world, ulong first, ulong second, byte ignored);

        /// <summary>Returns settings for metres with y up: steps of 0.35, slopes up to 45 degrees.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideMover cullide_mover();

        /// <summary>Creates a character with this shape, no mesh and no terrain, at a pose, in the air and at rest; `cullide_character_free`
        /// frees it.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_new(CullideShape* shape, CullidePose pose, CullideCharacter** character);

        /// <summary>Frees a character; NULL does nothing.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_character_free(CullideCharacter* character);

        /// <summary>Writes where a character is, how fast it is, and what it stands on.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_state(CullideCharacter* character, CullideCharacterState* state);

        /// <summary>Sets the velocity that a character wants, in units per second: on the ground the part along it counts, unless it leads
        /// upward, as in a jump. In the air, add gravity before each walk. A velocity that is not finite is refused by the walk.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_set_velocity(CullideCharacter* character, CullideVec3 velocity);

        /// <summary>Puts a character elsewhere, in the air.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_set_position(CullideCharacter* character, CullideVec3 position);

        /// <summary>Names the object that is this character in the world, so that rays and triggers find it; `CULLIDE_NONE` for none. It is
        /// never in the way of the character's own walks, and each walk puts it where the character is.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_set_object(CullideCharacter* character, CullideWorld* world, ulong @object);

        /// <summary>Moves a character for `dt` seconds at its velocity: along with what it stands on, along floors, up steps, down stairs,
        /// and along walls. With `dynamics` it pushes the bodies in its way; NULL for none. Then writes what happened.
        /// 
        /// On failure nothing has moved.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_walk(CullideCharacter* character, CullideWorld* world, CullideDynamics* dynamics, CullideMover* mover, float dt, CullideFilter* filter, CullideWalk* walk);

        /// <summary>Makes a box or a capsule higher or lower along `mover->up`, its foot where it is: to crouch and to get up. Writes 1 to
        /// `changed`, or 0 if there is no room above: then it stays as it is.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_set_height(CullideCharacter* character, CullideWorld* world, CullideMover* mover, float height, CullideFilter* filter, byte* changed);

        /// <summary>Lists the surfaces that a character met in its last walk, in order.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_contacts(CullideCharacter* character, CullideSlideContact* contacts, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists the rigid bodies that a character pushed in its last walk.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_pushes(CullideCharacter* character, CullidePush* pushes, UIntPtr capacity, UIntPtr* total);

        /// <summary>Moves all bodies by `dt` seconds, more than 0; give every step the same length. `report` may be NULL; the lists of the
        /// step last until the next one.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_step(CullideDynamics* dynamics, CullideWorld* world, float dt, CullideDynamicsConfig* config, CullideStepReport* report);

        /// <summary>Lists the bodies whose pose the last step has changed, with their poses: what a renderer has to move. Bodies that were
        /// removed since are left out.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_moved(CullideDynamics* dynamics, CullideWorld* world, CullideMoved* moved, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists pairs of a dynamic body and what it touches: `which` is `CULLIDE_TOUCHING`, `CULLIDE_TOUCH_BEGUN` or
        /// `CULLIDE_TOUCH_ENDED`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_contact_pairs(CullideDynamics* dynamics, uint which, CullidePair* pairs, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists those that met in the last step with an impulse of `least` or more: for sounds and damage. What rests presses
        /// with its weight times the length of the step.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_impacts(CullideDynamics* dynamics, float least, CullideImpact* impacts, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists the points of all contacts of the last step.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_contact_points(CullideDynamics* dynamics, CullideWorld* world, CullideContactPoint* points, UIntPtr capacity, UIntPtr* total);

        /// <summary>Writes a hash of all bodies of a world, the same on every platform; beside `cullide_world_hash`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_dynamics_hash(CullideDynamics* dynamics, CullideWorld* world, ulong* hash);

        /// <summary>Lists the objects in the view of a camera, by its matrix from the world to clip space: 16 numbers, column by column, as
        /// graphics libraries store them. `clip_space` is `CULLIDE_ZERO_TO_ONE` or `CULLIDE_MINUS_ONE_TO_ONE`. Boxes, balls and
        /// capsules are decided exactly; another object close outside may be listed. Infinite planes never are.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cull_matrix(CullideWorld* world, float* matrix, uint clip_space, CullideFilter* filter, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>The same for the volume in front of three to six planes, which must have a corner; it may be open to infinity.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cull_planes(CullideWorld* world, CullidePlane* planes, UIntPtr count, CullideFilter* filter, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>Returns a fixed object in all layers, which pairs with all, at the origin; change the rest from there.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideObject cullide_object(CullideShape* shape);

        /// <summary>Inserts objects, and writes as many keys to `keys`; if one of them is refused, none is inserted. A whole level at
        /// once costs a fraction of as many calls.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_insert(CullideWorld* world, CullideObject* objects, UIntPtr count, ulong* keys);

        /// <summary>Removes an object or a plane; its key becomes stale.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_remove(CullideWorld* world, ulong key);

        /// <summary>Puts objects at poses, wherever they were before. If one of the keys is stale or one of the poses out of range,
        /// nothing moves.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_poses(CullideWorld* world, ulong* keys, CullidePose* poses, UIntPtr count);

        /// <summary>Writes the poses of objects to `poses`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_poses(CullideWorld* world, ulong* keys, CullidePose* poses, UIntPtr count);

        /// <summary>Gives an object another shape at the pose that it has. A rigid body keeps its velocity.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_shape(CullideWorld* world, ulong key, CullideShape* shape);

        /// <summary>Sets the layers that an object or a plane is in; none hides it from all queries.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_layers(CullideWorld* world, ulong key, uint layers);

        /// <summary>Sets the layers with whose objects an object makes pairs.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_pairs_with(CullideWorld* world, ulong key, uint layers);

        /// <summary>Makes an object `CULLIDE_FIXED` or `CULLIDE_MOVING`. A rigid body that becomes fixed is no longer a body.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_mobility(CullideWorld* world, ulong key, uint mobility);

        /// <summary>Switches an object off (0), so that no query and no step finds it, or on again (anything else).</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_enabled(CullideWorld* world, ulong key, byte enabled);

        /// <summary>Sets the caller's number of an object or a plane.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_user(CullideWorld* world, ulong key, ulong user);

        /// <summary>Sets the velocity of an object that is no rigid body, in units per second: a character that lands on it is carried
        /// along, and `cullide_update_pairs` looks ahead by it. It does not move the object.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_velocity(CullideWorld* world, ulong key, CullideVec3 velocity);

        /// <summary>Reads an object: its pose, `CULLIDE_FIXED` or `CULLIDE_MOVING`, its layers and the caller's number. `shape` is NULL:
        /// shapes are the caller's to remember.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_get(CullideWorld* world, ulong key, CullideObject* @object);

        /// <summary>Writes the box along the axes around an object.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_aabb(CullideWorld* world, ulong key, CullideAabb* aabb);

        /// <summary>Whether a key is that of a plane: 1 if so, 0 for an object or `CULLIDE_NONE`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte cullide_key_is_plane(ulong key);

        /// <summary>Lists what is nearest to a point within `max_distance`, nearest first, at most `capacity` things; `total` is their
        /// number.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_nearest(CullideWorld* world, CullideVec3 point, float max_distance, CullideFilter* filter, CullideNear* near, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists what is nearest to a shape at a pose within `max_distance`, as `cullide_nearest` does for a point. What overlaps
        /// comes first, the deepest before the others.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_nearest_to_shape(CullideWorld* world, CullideShape* shape, CullidePose pose, float max_distance, CullideFilter* filter, CullideNearShape* near, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists everything that a shape touches at a pose.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_overlap(CullideWorld* world, CullideShape* shape, CullidePose pose, CullideFilter* filter, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>Writes whether a shape touches anything at a pose, 1 or 0: whether there is no room for it. What lies on a floor
        /// touches the floor.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_any_overlap(CullideWorld* world, CullideShape* shape, CullidePose pose, CullideFilter* filter, byte* any);

        /// <summary>Lists what each of `count` shapes touches, on several threads. The keys of all follow each other in `keys`: those of
        /// shape i are `keys[ends[i - 1]]` to before `keys[ends[i]]`, those of the first from `keys[0]` on. `ends` has room for
        /// `count` numbers, and is right even where `keys` is too short.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_overlap_batch(CullideWorld* world, CullidePlacedShape* shapes, UIntPtr count, CullideFilter* filter, UIntPtr* ends, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists everything that contains a point.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_overlap_point(CullideWorld* world, CullideVec3 point, CullideFilter* filter, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>Finds the pairs of objects whose boxes overlap, at least one of which is moving and each of which pairs with a layer of
        /// the other. The box of an object with a velocity covers its way over the next `dt` seconds. Not needed where rigid
        /// bodies are stepped, which does the same.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_update_pairs(CullideWorld* world, float dt);

        /// <summary>Lists the pairs of the last update, in an order that depends only on the edits: `which` is `CULLIDE_PAIRS`, `CULLIDE_PAIRS_BEGUN` or
        /// `CULLIDE_PAIRS_ENDED`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_pairs(CullideWorld* world, uint which, CullidePair* pairs, UIntPtr capacity, UIntPtr* total);

        /// <summary>Inserts an infinite plane and writes its key. `kind` is `CULLIDE_HALF_SPACE` or `CULLIDE_WALL`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_insert_plane(CullideWorld* world, CullidePlane plane, uint kind, uint layers, ulong* key);

        /// <summary>Moves an infinite plane.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_set_plane(CullideWorld* world, ulong key, CullidePlane plane);

        /// <summary>Writes the first thing that a ray hits within `max_distance`, in units of the scene: INFINITY for no limit. Without a
        /// hit its target is `CULLIDE_NONE`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cast_ray(CullideWorld* world, CullideRay ray, float max_distance, CullideFilter* filter, CullideRayHit* hit);

        /// <summary>Writes to `hits` what each of `count` rays hits first within `max_distance`, in their order: cheaper than as many calls,
        /// and on several threads. If one of them has a direction of zero or a number that is not finite, there is no answer.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cast_rays(CullideWorld* world, CullideRay* rays, UIntPtr count, float max_distance, CullideFilter* filter, CullideRayHit* hits);

        /// <summary>Writes whether a ray hits anything within `max_distance`, 1 or 0; cheaper than what it hits.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_any_ray_hit(CullideWorld* world, CullideRay ray, float max_distance, CullideFilter* filter, byte* any);

        /// <summary>Lists everything that a ray hits within `max_distance`, each object once, nearest first.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cast_ray_all(CullideWorld* world, CullideRay ray, float max_distance, CullideFilter* filter, CullideRayHit* hits, UIntPtr capacity, UIntPtr* total);

        /// <summary>Writes the first thing that a segment hits; without a hit its target is `CULLIDE_NONE`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_cast_segment(CullideWorld* world, CullideSegment segment, CullideFilter* filter, CullideRayHit* hit);

        /// <summary>Writes to `any` for each of `count` segments whether something is in its way, 1 or 0: lines of sight, many at once and
        /// on several threads.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_any_segment_hits(CullideWorld* world, CullideSegment* segments, UIntPtr count, CullideFilter* filter, byte* any);

        /// <summary>Creates a box of these half edges, centred at its origin. Rotated by a pose it is an oriented box.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_box(CullideVec3 half_extents, CullideShape** shape);

        /// <summary>Creates a ball of this radius, centred at its origin.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_ball(float radius, CullideShape** shape);

        /// <summary>Creates a capsule along y, centred at its origin: all that is within `radius` of a line from `-half_height` to
        /// `half_height`. It is `2 (half_height + radius)` high.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_capsule(float half_height, float radius, CullideShape** shape);

        /// <summary>Creates a cylinder along y, centred at its origin, `2 half_height` high, with the radii of its lower and its upper
        /// end: a cone if the upper one is 0.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_cylinder(float half_height, float lower_radius, float upper_radius, CullideShape** shape);

        /// <summary>Creates the convex hull of points, of which four must not lie in a plane.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_hull(CullideVec3* points, UIntPtr count, CullideShape** shape);

        /// <summary>Creates the convex solid behind all of these planes, which must close it.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_brush(CullidePlane* planes, UIntPtr count, CullideShape** shape);

        /// <summary>Creates a mesh: a surface of triangles, each given by the numbers of three vertices. `triangle_count` triangles have
        /// three times as many `indices`. `sides` is `CULLIDE_BOTH_SIDES` or `CULLIDE_FRONT_SIDE`. `surfaces` holds a number of
        /// the caller's for each triangle, such as its material, which hits report; NULL for none.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_mesh(CullideVec3* vertices, UIntPtr vertex_count, uint* indices, UIntPtr triangle_count, uint sides, ushort* surfaces, CullideShape** shape);

        /// <summary>Creates a compound: several shapes at poses, which move as one. Its parts are numbered in their order; `surfaces` as for
        /// a mesh, one for each child. A child may not be a compound itself.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_compound(CullidePlacedShape* children, UIntPtr count, ushort* surfaces, CullideShape** shape);

        /// <summary>Creates a mesh or a compound scaled about its origin, which shares its triangles or children with the one that it is
        /// made from. Negative factors mirror. Scale other shapes by their sizes.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_scaled(CullideShape* of, CullideVec3 scale, CullideShape** shape);

        /// <summary>Frees a shape; NULL does nothing. What was made with it stays.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_shape_free(CullideShape* shape);

        /// <summary>Saves a world; `cullide_snapshot_free` frees the snapshot. To go back within one program, a clone is cheaper.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_save(CullideWorld* world, CullideSnapshot** snapshot);

        /// <summary>Saves the rigid bodies of a world, beside the world.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_dynamics_save(CullideDynamics* dynamics, CullideWorld* world, CullideSnapshot** snapshot);

        /// <summary>Saves a character.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_save(CullideCharacter* character, CullideSnapshot** snapshot);

        /// <summary>Lists the bytes of a snapshot.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_snapshot_bytes(CullideSnapshot* snapshot, byte* bytes, UIntPtr capacity, UIntPtr* total);

        /// <summary>Frees a snapshot; NULL does nothing.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_snapshot_free(CullideSnapshot* snapshot);

        /// <summary>Creates the world that the bytes of a snapshot were made from: it continues bit for bit as that one would have, with
        /// the same keys. Bytes from elsewhere may be refused, and take memory of some hundred times their length.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_restore(byte* bytes, UIntPtr count, CullideWorld** world);

        /// <summary>Creates the dynamics that the bytes of a snapshot were made from, for the world that was saved beside it.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_dynamics_restore(byte* bytes, UIntPtr count, CullideWorld* world, CullideDynamics** dynamics);

        /// <summary>Creates the character that the bytes of a snapshot were made from.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_character_restore(byte* bytes, UIntPtr count, CullideCharacter** character);

        /// <summary>Returns what was wrong with the last call of this thread that failed, and what to do about it: UTF-8 that ends with a
        /// zero, empty if none has failed. It stays valid until another call of this thread fails; it is the library's.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern byte* cullide_last_error();

        /// <summary>Writes where a moving shape stops, and at what.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_sweep(CullideWorld* world, CullideMotion* motion, CullideFilter* filter, CullideSwept* swept);

        /// <summary>Writes where each of `count` moving shapes stops, each as if it were alone, to `swept`; on several threads.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_sweep_batch(CullideWorld* world, CullideMotion* motions, UIntPtr count, CullideFilter* filter, CullideSwept* swept);

        /// <summary>Writes where a shape stops that turns about its own origin on its way, and at what: the direction of `turn` is the axis,
        /// its length the angle in radians over the motion. What comes as near as `skin` counts as touched, a length such as a
        /// thousandth of the shape's size. `rotation` becomes that of the pose at the end.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_sweep_turning(CullideWorld* world, CullideMotion* motion, CullideVec3 turn, float skin, CullideFilter* filter, CullideSwept* swept, CullideQuat* rotation);

        /// <summary>Lists what a moving shape touches on its way as if nothing stopped it, each object once, in the order of time. What it
        /// overlaps at the start is not among them: `cullide_overlap` lists that.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_sweep_all(CullideWorld* world, CullideMotion* motion, CullideFilter* filter, CullideShapeHit* hits, UIntPtr capacity, UIntPtr* total);

        /// <summary>Writes where a shape gets that slides along what it meets, and lists what that was, in order. A shape that overlaps
        /// something at the start is pushed out first.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_slide(CullideWorld* world, CullideMotion* motion, CullideFilter* filter, CullideSlid* slid, CullideSlideContact* contacts, UIntPtr capacity, UIntPtr* total);

        /// <summary>Looks for a place near by where a shape overlaps nothing. Writes 1 to `found` and the position of its pose there, that of
        /// the pose itself if it is free; or 0, if there is none near by, and leaves the position alone.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_depenetrate(CullideWorld* world, CullideShape* shape, CullidePose pose, CullideFilter* filter, CullideVec3* position, byte* found);

        /// <summary>Creates a terrain: heights over a grid of `columns` samples along x and `rows` along z, row by row. The first one is at
        /// `x`, `z`, and the next ones follow at distances of `spacing_x` and `spacing_z`. `sides` as for a mesh; the front is
        /// above. Each cell between four samples is two triangles, which are the parts that hits report.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_shape_terrain(uint columns, uint rows, float* heights, float x, float z, float spacing_x, float spacing_z, uint sides, CullideShape** shape);

        /// <summary>Sets the heights of `columns` by `rows` samples of a terrain in the world, from the sample `column`, `row` on, row by
        /// row.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_terrain_edit(CullideWorld* world, ulong key, uint column, uint row, uint columns, uint rows, float* heights);

        /// <summary>Removes `columns` by `rows` cells of a terrain in the world, from the cell `column`, `row` on: holes.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_terrain_dig(CullideWorld* world, ulong key, uint column, uint row, uint columns, uint rows);

        /// <summary>Puts back what `cullide_terrain_dig` has removed.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_terrain_fill(CullideWorld* world, ulong key, uint column, uint row, uint columns, uint rows);

        /// <summary>Gives `columns` by `rows` cells of a terrain in the world a number of the caller's, such as that of a material, which
        /// hits report as their `surface`; 0 at first.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_terrain_set_surface(CullideWorld* world, ulong key, uint column, uint row, uint columns, uint rows, ushort surface);

        /// <summary>Creates triggers without a volume, which `cullide_triggers_free` frees.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_triggers_new(CullideTriggers** triggers);

        /// <summary>Frees triggers; NULL does nothing. The objects stay in their world.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_triggers_free(CullideTriggers* triggers);

        /// <summary>Makes an object a volume that watches objects in these layers, or with no layers an object like others. A volume that
        /// is in no layer itself is in nobody's way.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_triggers_watch(CullideTriggers* triggers, CullideWorld* world, ulong volume, uint layers);

        /// <summary>Finds out what of that which the filter accepts is in the volumes now: call it once a frame, after everything has moved.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_triggers_update(CullideTriggers* triggers, CullideWorld* world, CullideFilter* filter);

        /// <summary>Lists volumes, each as the first of a pair with what has entered or left it: `which` is `CULLIDE_ENTERED` or
        /// `CULLIDE_LEFT`.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_triggers_events(CullideTriggers* triggers, uint which, CullidePair* pairs, UIntPtr capacity, UIntPtr* total);

        /// <summary>Lists what was in a volume at the last update.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_triggers_inside(CullideTriggers* triggers, CullideWorld* world, ulong volume, ulong* keys, UIntPtr capacity, UIntPtr* total);

        /// <summary>Returns the filter that considers everything, to change from there.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideFilter cullide_filter_all();

        /// <summary>Creates an empty world, which `cullide_world_free` frees.
        /// 
        /// `tag` is a number of the caller's: worlds with the same tag give out the same keys and snapshots of the same bytes
        /// after the same calls, on any machine; rigid bodies refuse a world of another tag. Give the worlds of one program
        /// different ones.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_new(uint tag, CullideWorld** world);

        /// <summary>Creates a copy of a world, which has the same keys and gives the same answers, to go back to or to compute ahead with;
        /// `cullide_world_free` frees it. What is fixed is shared until one of the two changes it, so copies cost little.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_clone(CullideWorld* world, CullideWorld** copy);

        /// <summary>Frees a world; NULL does nothing. What else was made with it stays valid, but only for other worlds of the same tag.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern void cullide_world_free(CullideWorld* world);

        /// <summary>Writes a hash of everything in the world that a query or a step may depend on, the same on every platform: two worlds
        /// that have the same are the same.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_hash(CullideWorld* world, ulong* hash);

        /// <summary>Rebuilds the trees for the fastest queries, worth it once after a level was loaded. No answer changes.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_optimize(CullideWorld* world);

        /// <summary>Removes all objects and planes; their keys become stale.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_clear(CullideWorld* world);

        /// <summary>Lists the keys of all objects, and after them those of all planes.</summary>
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl)]
        public static extern CullideStatus cullide_world_keys(CullideWorld* world, ulong* keys, UIntPtr capacity, UIntPtr* total);
    }
}
