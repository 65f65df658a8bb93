//! agpu_device_plugin.rs: the structures of agpu_device_plugin.h, which documents each member, for devices in Rust. D is
//! the device. ctest plugin.rust_layout compares every offset with the header.

#![allow(dead_code)]

use std::ffi::c_void;
use std::os::raw::c_char;

pub const MAJOR: u32 = 1;
pub const MINOR: u32 = 1;
pub const NEVER: u64 = u64::MAX;
pub const RESET_COLD: u32 = 0;
pub const RESET_FUNCTION: u32 = 1;

#[repr(C)]
pub struct Host {
    pub major: u32,
    pub minor: u32,
    pub size: u64,
    pub dma_read: extern "C" fn(*mut c_void, u64, *mut c_void, u64) -> bool,
    pub dma_write: extern "C" fn(*mut c_void, u64, *const c_void, u64) -> bool,
    pub dma_map: extern "C" fn(*mut c_void, u64, u64, bool) -> *mut c_void,
    pub dma_extent: extern "C" fn(*mut c_void, u64, bool) -> u64,
    pub set_interrupt: extern "C" fn(*mut c_void, bool),
    pub send_msi: extern "C" fn(*mut c_void, u32) -> bool,
    pub now_ns: extern "C" fn(*mut c_void) -> u64,
    pub wake: extern "C" fn(*mut c_void),
    pub log: extern "C" fn(*mut c_void, *const c_char),
}

#[repr(C)]
pub struct Bar {
    pub size: u64,
    pub is_64_bit: u32,
    pub prefetchable: u32,
    pub memory_fd: i32,
    pub reserved: u32,
}

#[repr(C)]
pub struct Info {
    pub bars: [Bar; 6],
    pub config_bytes: u32,
    pub msi_vectors: u32,
}

#[repr(C)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub pitch_bytes: u64,
    pub rgba: *const u8,
}

pub type Line = extern "C" fn(*mut c_void, *const c_char);
pub type Store = extern "C" fn(*mut c_void, *const c_void, u64) -> bool;

#[repr(C)]
pub struct Plugin<D: 'static> {
    pub major: u32,
    pub minor: u32,
    pub size: u64,
    pub name: *const c_char,
    pub about: *const c_char,
    pub create: extern "C" fn(&'static Host, *mut c_void, *const c_char, *mut c_char, usize) -> *mut D,
    pub destroy: extern "C" fn(*mut D),
    pub describe: extern "C" fn(&D, &mut Info),
    pub reset: extern "C" fn(&mut D, u32),
    pub config_read: extern "C" fn(&D, u32, u32) -> u32,
    pub config_write: extern "C" fn(&mut D, u32, u32, u32),
    pub bar_read: extern "C" fn(&D, u32, u64, u32) -> u64,
    pub bar_write: extern "C" fn(&mut D, u32, u64, u32, u64),
    pub poll: extern "C" fn(&mut D, u64) -> u64,
    pub picture: Option<extern "C" fn(&mut D, &mut Picture) -> bool>,
    pub dump: Option<extern "C" fn(&D, Line, *mut c_void)>,
    pub register_name: Option<extern "C" fn(&D, u32, u64) -> *const c_char>,
    pub save: Option<extern "C" fn(&mut D, Store, *mut c_void) -> bool>,
    pub load: Option<extern "C" fn(&mut D, *const c_void, u64, *mut c_char, usize) -> bool>,
}

// The table is read only, and its strings are static.
unsafe impl<D> Sync for Plugin<D> {}
