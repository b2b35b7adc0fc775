//! The declarations of `rtcore.h` that are needed, of Embree 3.13 and of Embree 4; they differ in the calls for rays. The
//! functions come from a library that is loaded.

use libloading::Library;
use std::{
    ffi::{OsStr, c_char, c_int, c_void},
    ptr,
};

pub(super) type Handle = *mut c_void;

pub(super) const TRIANGLES: c_int = 0;
pub(super) const USER_GEOMETRY: c_int = 120;
pub(super) const INSTANCE: c_int = 121;
pub(super) const INDEX_BUFFER: c_int = 0;
pub(super) const VERTEX_BUFFER: c_int = 1;
pub(super) const UINT3: c_int = 0x5003;
pub(super) const FLOAT3: c_int = 0x9003;
/// A flag of scenes.
pub(super) const ROBUST: c_int = 1 << 2;
pub(super) const INVALID_ID: u32 = u32::MAX;

/// A flag of contexts, and of arguments in Embree 4.
const COHERENT: c_int = 1;
const COHERENT_4: c_int = 1 << 16;

/// Properties of devices.
const VERSION: c_int = 0;
const NATIVE_RAY8: c_int = 33;
const NATIVE_RAY16: c_int = 34;

#[repr(C, align(16))]
pub(super) struct Bounds {
    pub(super) lower: [f32; 3],
    pub(super) padding0: f32,
    pub(super) upper: [f32; 3],
    pub(super) padding1: f32,
}

#[repr(C)]
pub(super) struct BoundsArguments {
    pub(super) user: *const c_void,
    pub(super) primitive: u32,
    pub(super) time_step: u32,
    pub(super) bounds: *mut Bounds,
}

#[repr(C, align(16))]
pub(super) struct Ray {
    pub(super) origin: [f32; 3],
    pub(super) near: f32,
    pub(super) direction: [f32; 3],
    pub(super) time: f32,
    pub(super) far: f32,
    pub(super) mask: u32,
    pub(super) id: u32,
    pub(super) flags: u32,
}

#[repr(C, align(16))]
pub(super) struct Hit {
    pub(super) normal: [f32; 3],
    pub(super) uv: [f32; 2],
    pub(super) primitive: u32,
    pub(super) geometry: u32,
    pub(super) instance: u32,
    /// Only Embree 4 knows it.
    pub(super) instance_primitive: u32,
}

#[repr(C)]
pub(super) struct RayHit {
    pub(super) ray: Ray,
    pub(super) hit: Hit,
}

impl RayHit {
    /// A ray that has not hit anything yet.
    pub(super) fn new([origin, direction]: [[f32; 3]; 2], far: f32) -> Self {
        Self {
            ray: Ray { origin, near: 0.0, direction, time: 0.0, far, mask: u32::MAX, id: 0, flags: 0 },
            hit: Hit {
                normal: [0.0; 3],
                uv: [0.0; 2],
                primitive: INVALID_ID,
                geometry: INVALID_ID,
                instance: INVALID_ID,
                instance_primitive: INVALID_ID,
            },
        }
    }
}

/// Sixteen rays, coordinate by coordinate.
#[repr(C, align(64))]
pub(super) struct Ray16 {
    pub(super) origin: [[f32; 16]; 3],
    pub(super) near: [f32; 16],
    pub(super) direction: [[f32; 16]; 3],
    pub(super) time: [f32; 16],
    pub(super) far: [f32; 16],
    pub(super) mask: [u32; 16],
    pub(super) id: [u32; 16],
    pub(super) flags: [u32; 16],
}

#[repr(C, align(64))]
pub(super) struct Hit16 {
    pub(super) normal: [[f32; 16]; 3],
    pub(super) uv: [[f32; 16]; 2],
    pub(super) primitive: [u32; 16],
    pub(super) geometry: [u32; 16],
    pub(super) instance: [u32; 16],
    /// Only Embree 4 knows it.
    pub(super) instance_primitive: [u32; 16],
}

#[repr(C)]
pub(super) struct RayHit16 {
    pub(super) ray: Ray16,
    pub(super) hit: Hit16,
}

/// Which of sixteen rays there are: −1 for those.
#[repr(align(64))]
pub(super) struct Valid16(pub(super) [c_int; 16]);

/// What Embree 3 wants to know of a query.
#[repr(C)]
pub(super) struct Context {
    flags: c_int,
    filter: *const c_void,
    instance: u32,
    /// Present only in builds with a minimal curve width; other builds, such as Debian's, never read it.
    min_width: f32,
}

impl Context {
    pub(super) fn new(flags: c_int) -> Self {
        Self { flags, filter: ptr::null(), instance: INVALID_ID, min_width: 0.0 }
    }
}

/// What Embree 4 wants to know of a query.
#[repr(C)]
struct Arguments {
    flags: c_int,
    features: u32,
    context: *const c_void,
    filter: *const c_void,
    intersect: *const c_void,
    /// As in [`Context`].
    min_width: f32,
}

impl Arguments {
    fn new(flags: c_int) -> Self {
        let (context, filter, intersect) = (ptr::null(), ptr::null(), ptr::null());
        Self { flags, features: u32::MAX, context, filter, intersect, min_width: 0.0 }
    }
}

/// What Embree 3 tells the callback of a user geometry.
#[repr(C)]
pub(super) struct IntersectArguments {
    pub(super) valid: *mut c_int,
    pub(super) user: *const c_void,
    pub(super) primitive: u32,
    pub(super) context: *mut Context,
    pub(super) ray_hit: *mut RayHit,
    pub(super) count: u32,
    pub(super) geometry: u32,
}

// SAFETY: the signature is that of Embree's `rtcore_geometry.h`; only Embree calls such a function.
pub(super) type BoundsFunction = unsafe extern "C" fn(*const BoundsArguments);
// SAFETY: likewise.
pub(super) type IntersectFunction = unsafe extern "C" fn(*const IntersectArguments);
// SAFETY: the signature is that of Embree's `rtcore_device.h`; only Embree calls such a function.
pub(super) type MemoryFunction = unsafe extern "C" fn(*mut c_void, isize, bool) -> bool;

/// Declares functions that have the same signature in both versions, and how they are found in a library.
macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// Functions by their names in Embree.
        #[allow(non_snake_case, reason = "they are named as in Embree")]
        pub struct Functions {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl Functions {
            fn of(library: &Library) -> Result<Self, libloading::Error> {
                // SAFETY: the signatures are those of the headers of both versions.
                unsafe { Ok(Self { $($name: *library.get(stringify!($name).as_bytes())?,)* }) }
            }
        }
    };
}

functions! {
    rtcNewDevice(*const c_char) -> Handle;
    rtcReleaseDevice(Handle);
    rtcGetDeviceProperty(Handle, c_int) -> isize;
    rtcSetDeviceMemoryMonitorFunction(Handle, MemoryFunction, *mut c_void);
    rtcNewScene(Handle) -> Handle;
    rtcReleaseScene(Handle);
    rtcSetSceneFlags(Handle, c_int);
    rtcCommitScene(Handle);
    rtcNewGeometry(Handle, c_int) -> Handle;
    rtcReleaseGeometry(Handle);
    rtcCommitGeometry(Handle);
    rtcAttachGeometry(Handle, Handle) -> u32;
    rtcSetNewGeometryBuffer(Handle, c_int, u32, c_int, usize, usize) -> *mut c_void;
    rtcSetGeometryInstancedScene(Handle, Handle);
    rtcSetGeometryUserPrimitiveCount(Handle, u32);
    rtcSetGeometryUserData(Handle, *const c_void);
    rtcSetGeometryBoundsFunction(Handle, BoundsFunction, *const c_void);
    rtcSetGeometryIntersectFunction(Handle, IntersectFunction);
}

/// The calls for rays: scene, and what the version wants to know.
enum Rays {
    Three {
        // SAFETY: the signatures are those of Embree 3.13's `rtcore_scene.h`.
        one: unsafe extern "C" fn(Handle, *mut Context, *mut RayHit),
        // SAFETY: likewise.
        sixteen: unsafe extern "C" fn(*const c_int, Handle, *mut Context, *mut RayHit16),
    },
    Four {
        // SAFETY: the signatures are those of Embree 4's `rtcore_scene.h`.
        one: unsafe extern "C" fn(Handle, *mut RayHit, *mut Arguments),
        // SAFETY: likewise.
        sixteen: unsafe extern "C" fn(*const c_int, Handle, *mut RayHit16, *mut Arguments),
    },
}

impl Rays {
    fn of(library: &Library, major: u32) -> Result<Self, libloading::Error> {
        let (one, sixteen) = (b"rtcIntersect1", b"rtcIntersect16");
        // SAFETY: the signatures are those of the version's headers.
        unsafe {
            Ok(if major == 3 {
                Self::Three { one: *library.get(one)?, sixteen: *library.get(sixteen)? }
            } else {
                Self::Four { one: *library.get(one)?, sixteen: *library.get(sixteen)? }
            })
        }
    }
}

/// Embree, loaded.
pub struct Rtc {
    pub(super) functions: Functions,
    rays: Rays,
    /// Major, minor, patch.
    pub version: [u32; 3],
    /// Keeps the functions where they are.
    _library: Library,
}

impl Rtc {
    /// Loads version `major` from a shared library, by its path, or its name if the system has it.
    pub(super) fn load(file: &OsStr, major: u32) -> Result<Self, String> {
        let failed = |error: libloading::Error| format!("Embree {major}: {error}");
        // SAFETY: what a library does when it is loaded is its own; that of Embree is made to be loaded.
        let library = unsafe { Library::new(file) }.map_err(failed)?;
        let functions = Functions::of(&library).map_err(failed)?;
        // SAFETY: the configuration is a C string, and the device is released once.
        let version = unsafe {
            let device = (functions.rtcNewDevice)(c"threads=1".as_ptr());
            let version = (functions.rtcGetDeviceProperty)(device, VERSION) as u32;
            (functions.rtcReleaseDevice)(device);
            [version / 10_000, version / 100 % 100, version % 100]
        };
        if version[0] != major {
            return Err(format!("{} is Embree {}, not {major}", file.display(), version[0]));
        }
        Ok(Self { functions, rays: Rays::of(&library, major).map_err(failed)?, version, _library: library })
    }

    /// The number of lanes in the widest vectors that a device uses.
    ///
    /// # Safety
    /// The device is one of this library.
    pub(super) unsafe fn lanes(&self, device: Handle) -> usize {
        // SAFETY: as the caller promises.
        let supports = |property| unsafe { (self.functions.rtcGetDeviceProperty)(device, property) == 1 };
        if supports(NATIVE_RAY16) {
            16
        } else if supports(NATIVE_RAY8) {
            8
        } else {
            4
        }
    }

    /// The nearest hit of a ray.
    ///
    /// # Safety
    /// The scene is one of this library, and committed.
    pub(super) unsafe fn intersect(&self, scene: Handle, ray_hit: &mut RayHit) {
        // SAFETY: as the caller promises; all structures outlive the call.
        unsafe {
            match self.rays {
                Rays::Three { one, .. } => one(scene, &mut Context::new(0), ray_hit),
                Rays::Four { one, .. } => one(scene, ray_hit, &mut Arguments::new(0)),
            }
        }
    }

    /// The same with a context of one's own; for Embree 3.
    ///
    /// # Safety
    /// As for `intersect`; the context is what the callbacks of the scene expect.
    pub(super) unsafe fn intersect_with(&self, scene: Handle, context: *mut Context, ray_hit: &mut RayHit) {
        let Rays::Three { one, .. } = self.rays else { panic!("Embree 4 has no such context") };
        // SAFETY: as the caller promises.
        unsafe { one(scene, context, ray_hit) };
    }

    /// The nearest hits of sixteen rays that go roughly the same way.
    ///
    /// # Safety
    /// As for `intersect`.
    pub(super) unsafe fn intersect_sixteen(&self, valid: &Valid16, scene: Handle, ray_hits: &mut RayHit16) {
        let valid = valid.0.as_ptr();
        // SAFETY: as the caller promises; all structures outlive the call and are aligned as Embree asks.
        unsafe {
            match self.rays {
                Rays::Three { sixteen, .. } => sixteen(valid, scene, &mut Context::new(COHERENT), ray_hits),
                Rays::Four { sixteen, .. } => sixteen(valid, scene, ray_hits, &mut Arguments::new(COHERENT_4)),
            }
        }
    }
}
