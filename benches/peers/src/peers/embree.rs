//! Embree 3 and 4, whichever there are, loaded when they are first needed. Each has a copy of TBB of its own, and does not
//! see the other's.

use crate::instructions::Instructions;
use rtc::{Handle, Rtc};
use std::{
    ffi::{CStr, c_void},
    path::Path,
    ptr,
    sync::{
        OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

pub mod boxes;
pub mod mesh;
mod rtc;

/// The bytes that Embree holds, over all devices.
static LIVE: AtomicUsize = AtomicUsize::new(0);

static THREE: OnceLock<Option<Rtc>> = OnceLock::new();
static FOUR: OnceLock<Rtc> = OnceLock::new();

/// Embree 3, if the system has it.
pub fn three() -> Option<&'static Rtc> {
    THREE.get_or_init(|| Rtc::load(&libloading::library_filename("embree3"), 3).ok()).as_ref()
}

/// Embree 4, if it was loaded.
pub fn four() -> Option<&'static Rtc> {
    FOUR.get()
}

/// Loads Embree 4 from a shared library.
pub fn load_four(path: &Path) -> Result<(), String> {
    let rtc = Rtc::load(path.as_os_str(), 4)?;
    FOUR.set(rtc).map_err(|_| "Embree 4 was loaded already".into())
}

/// Their versions, and the instructions that they use.
pub fn describe() -> String {
    let describe = |rtc: &'static Rtc| {
        let [major, minor, patch] = rtc.version;
        let device = Device::new(rtc, Instructions::allowed());
        // SAFETY: the device is this library's.
        let instructions = match unsafe { rtc.lanes(device.handle) } {
            16 => "AVX-512",
            8 => "AVX2",
            _ => "SSE4.2",
        };
        format!("Embree {major}.{minor}.{patch}: {instructions}")
    };
    let three = three().map_or("Embree 3: not found".into(), describe);
    [Some(three), four().map(describe)].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A device with one thread, whose memory is counted in [`LIVE`].
struct Device {
    rtc: &'static Rtc,
    handle: Handle,
}

impl Device {
    fn new(rtc: &'static Rtc, instructions: Instructions) -> Self {
        let config: &CStr = match instructions {
            Instructions::All => c"threads=1",
            Instructions::Avx2 => c"threads=1,isa=avx2",
            Instructions::Sse => c"threads=1,isa=sse4.2",
        };
        // SAFETY: the configuration is a C string, the monitor has the type asked for and needs no user data, and a null
        // device is caught before it is used.
        let handle = unsafe {
            let handle = (rtc.functions.rtcNewDevice)(config.as_ptr());
            assert!(!handle.is_null(), "Embree makes no device");
            (rtc.functions.rtcSetDeviceMemoryMonitorFunction)(handle, count_bytes, ptr::null_mut());
            handle
        };
        Self { rtc, handle }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        // SAFETY: the handle came from `rtcNewDevice` and is not used again; scenes keep their device alive.
        unsafe { (self.rtc.functions.rtcReleaseDevice)(self.handle) };
    }
}

/// A scene, which is released when it is dropped.
struct Scene {
    rtc: &'static Rtc,
    handle: Handle,
}

impl Scene {
    /// Without any geometry yet.
    fn new(device: &Device, flags: i32) -> Self {
        let functions = &device.rtc.functions;
        // SAFETY: the device is live.
        let handle = unsafe { (functions.rtcNewScene)(device.handle) };
        assert!(!handle.is_null(), "Embree makes no scene");
        // SAFETY: the scene is live.
        unsafe { (functions.rtcSetSceneFlags)(handle, flags) };
        Self { rtc: device.rtc, handle }
    }

    /// A scene of one geometry of this kind, which `describe` is given to be set up.
    fn of(device: &Device, flags: i32, kind: i32, describe: impl FnOnce(Handle)) -> Self {
        let scene = Self::new(device, flags);
        let functions = &device.rtc.functions;
        // SAFETY: all handles are live; the scene holds on to the geometry.
        unsafe {
            let geometry = (functions.rtcNewGeometry)(device.handle, kind);
            assert!(!geometry.is_null(), "Embree makes no geometry");
            describe(geometry);
            (functions.rtcCommitGeometry)(geometry);
            (functions.rtcAttachGeometry)(scene.handle, geometry);
            (functions.rtcReleaseGeometry)(geometry);
            (functions.rtcCommitScene)(scene.handle);
        }
        scene
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // SAFETY: the handle came from `rtcNewScene` and is not used again.
        unsafe { (self.rtc.functions.rtcReleaseScene)(self.handle) };
    }
}

// SAFETY: it uses no pointer that it is given; it is unsafe only because Embree's signature is.
unsafe extern "C" fn count_bytes(_user: *mut c_void, bytes: isize, _after: bool) -> bool {
    LIVE.fetch_add(bytes as usize, Relaxed);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_uses_no_more_than_is_allowed() {
        let Some(rtc) = three() else { return };
        for (allowed, lanes) in [(Instructions::Avx2, 8), (Instructions::Sse, 4)] {
            // SAFETY: the device is this library's.
            assert!(unsafe { rtc.lanes(Device::new(rtc, allowed).handle) } <= lanes, "{allowed:?}");
        }
    }
}
