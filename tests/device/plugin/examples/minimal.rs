//! minimal.rs: the device of minimal.c in Rust: identity, registers, ring, fence, interrupt (ABI 1.0, feature
//! FENCE_PAGE).
//! Needs only the compiler, and agpu_device_plugin.rs beside it:
//!
//!     rustc -O --crate-type cdylib -o minimal_rs.so minimal.rs

use std::ffi::c_void;
use std::mem::size_of;
use std::os::raw::c_char;

mod agpu_device_plugin;
use agpu_device_plugin::{Host, Info, Plugin, NEVER};

// Registers (device.md 4), by dword.
const MAGIC: usize = 0x000 / 4;
const ABI_VERSION: usize = 0x004 / 4;
const FEATURES_LO: usize = 0x008 / 4;
const RING_GPA: usize = 0x100 / 4;
const RING_GPA_HI: usize = RING_GPA + 1;
const RING_SIZE: usize = 0x108 / 4;
const RING_CONTROL: usize = 0x10C / 4;
const FENCE_GPA: usize = 0x120 / 4;
const FENCE_GPA_HI: usize = FENCE_GPA + 1;
const COMPLETED_FENCE: usize = 0x130 / 4;
const DOORBELL: usize = 0x200 / 4;
const IRQ_STATUS: usize = 0x300 / 4;
const IRQ_ENABLE: usize = 0x304 / 4;
const IRQ_ACK: usize = 0x308 / 4;
const REGISTERS: usize = 0x1000 / 4;

const IRQ_FENCE: u32 = 1;
const IRQ_ERROR: u32 = 0x8000_0000;
const RESET: u32 = 2;
const NO_IRQ: u32 = 2; // of a descriptor
const RING_MAGIC: u32 = 0x474E_5241; // "ARNG"
const FENCE_PAGE_MAGIC: u32 = 0x434E_4546; // "FENC"
const STREAM_MAGIC: u32 = 0x444D_4341; // "ACMD"

// In guest memory (ring.md 1, 3), as dwords: ring header, descriptor.
const HEADER_HEAD: u64 = 24;
const HEADER_TAIL: u64 = 28;

pub struct Device {
    host: &'static Host,
    machine: *mut c_void,
    config: [u8; 256],
    reg: [u32; REGISTERS],
    doorbell: bool,
    reset_memory: bool, // the memory part of a ring reset is due
}

impl Device {
    fn command(&self) -> u16 {
        u16::from_le_bytes([self.config[4], self.config[5]])
    }

    fn pair(&self, low: usize) -> u64 {
        u64::from(self.reg[low + 1]) << 32 | u64::from(self.reg[low])
    }

    fn read<const N: usize>(&self, address: u64) -> Option<[u32; N]> {
        let mut words = [0u32; N];
        let done = (self.host.dma_read)(self.machine, address, words.as_mut_ptr().cast(), 4 * N as u64);
        done.then_some(words)
    }

    fn write<const N: usize>(&self, address: u64, words: [u32; N]) {
        (self.host.dma_write)(self.machine, address, words.as_ptr().cast(), 4 * N as u64);
    }

    fn power_on(&mut self) {
        self.config = [0; 256];
        self.config[0x00..0x04].copy_from_slice(&0x0001_A3A0u32.to_le_bytes()); // device.md 1
        self.config[0x08..0x0C].copy_from_slice(&0x0300_0000u32.to_le_bytes());
        self.config[0x2C..0x30].copy_from_slice(&0x0001_A3A0u32.to_le_bytes());
        self.config[0x3D] = 1;
    }

    fn update_line(&self) {
        let pending = self.reg[IRQ_STATUS] & self.reg[IRQ_ENABLE] != 0;
        (self.host.set_interrupt)(self.machine, pending && self.command() & 0x400 == 0);
    }

    fn reset_registers(&mut self) {
        self.reg = [0; REGISTERS];
        self.reg[MAGIC] = 0x5550_4741;
        self.reg[ABI_VERSION] = 0x0001_0000;
        self.reg[FEATURES_LO] = 1;
        self.doorbell = false;
        self.reset_memory = false;
        self.update_line();
    }

    fn write_fence_page(&self) {
        let address = self.pair(FENCE_GPA);
        if address != 0 {
            self.write(address, [FENCE_PAGE_MAGIC, self.reg[ABI_VERSION]]);
            self.write(address + 8, [self.reg[COMPLETED_FENCE], self.reg[COMPLETED_FENCE + 1]]);
        }
    }

    fn raise_irq(&mut self, bit: u32) {
        if bit == IRQ_ERROR || self.reg[IRQ_ENABLE] & bit != 0 {
            self.reg[IRQ_STATUS] |= bit;
            self.update_line();
        }
    }

    fn complete(&mut self, work: &[u32; 16]) {
        let fence = u64::from(work[13]) << 32 | u64::from(work[12]);
        if fence > self.pair(COMPLETED_FENCE) {
            self.reg[COMPLETED_FENCE] = work[12];
            self.reg[COMPLETED_FENCE + 1] = work[13];
            self.write_fence_page();
            if work[1] & NO_IRQ == 0 {
                self.raise_irq(IRQ_FENCE);
            }
        }
    }

    /// Executes the commands (none here). Returns false for an invalid submission (ring.md 3.1).
    fn execute(&self, work: &[u32; 16]) -> bool {
        let address = u64::from(work[5]) << 32 | u64::from(work[4]);
        let table = work[8] | work[9] != 0;
        if work[0] < 64 || (address != 0) != (work[6] != 0) || table != (work[10] != 0) {
            return false;
        }
        if address == 0 {
            return true;
        }
        match self.read::<3>(address) {
            Some([magic, version, size]) if work[6] >= 24 => {
                magic == STREAM_MAGIC
                    && version >> 16 == 1
                    && size >= 24
                    && size % 4 == 0
                    && size <= work[6]
            }
            _ => false,
        }
    }

    fn process_ring(&mut self) {
        let ring = self.pair(RING_GPA);
        let header = if ring == 0 { None } else { self.read::<8>(ring) };
        let [_, _, _, count, stride, _, mut head, tail] = match header {
            Some(h)
                if h[0] == RING_MAGIC
                    && h[1] >> 16 == 1
                    && h[3].is_power_of_two()
                    && h[4] >= 64
                    && 64 + u64::from(h[3]) * u64::from(h[4]) <= u64::from(h[2])
                    && h[2] <= self.reg[RING_SIZE] =>
            {
                h
            }
            _ => return self.raise_irq(IRQ_ERROR),
        };
        if tail.wrapping_sub(head) > count {
            head = tail;
            self.raise_irq(IRQ_ERROR);
        }
        while head != tail {
            let slot = u64::from(head & (count - 1));
            let work = self.read::<16>(ring + 64 + slot * u64::from(stride)).unwrap_or([0; 16]);
            if !self.execute(&work) {
                self.raise_irq(IRQ_ERROR);
            }
            head = head.wrapping_add(1);
            self.write(ring + HEADER_HEAD, [head]);
            self.complete(&work);
        }
        self.write(ring + HEADER_HEAD, [head]);
    }

    /// Sets head to tail and writes fence 0 to the page (device.md 4.2).
    fn reset_ring_memory(&self) {
        let ring = self.pair(RING_GPA);
        if ring != 0 {
            if let Some(tail) = self.read::<1>(ring + HEADER_TAIL) {
                self.write(ring + HEADER_HEAD, tail);
            }
        }
        self.write_fence_page();
    }

    fn read_register(&self, index: usize) -> u32 {
        if index < REGISTERS && index != DOORBELL && index != IRQ_ACK {
            self.reg[index]
        } else {
            0
        }
    }

    fn write_register(&mut self, index: usize, value: u32) {
        match index {
            RING_GPA | RING_GPA_HI | RING_SIZE | FENCE_GPA | FENCE_GPA_HI => self.reg[index] = value,
            RING_CONTROL => {
                if value & RESET != 0 {
                    self.reg[COMPLETED_FENCE] = 0;
                    self.reg[COMPLETED_FENCE + 1] = 0;
                    self.reg[IRQ_STATUS] = 0;
                    self.doorbell = false;
                    self.reset_memory = true;
                }
                self.reg[index] = value & 1;
            }
            DOORBELL => self.doorbell = true,
            IRQ_ENABLE => {
                self.reg[index] = value;
                self.reg[IRQ_STATUS] &= value | IRQ_ERROR;
            }
            IRQ_ACK => self.reg[IRQ_STATUS] &= !value,
            _ => {} // read-only or unused
        }
        self.update_line();
    }
}

extern "C" fn create(
    host: &'static Host,
    machine: *mut c_void,
    _options: *const c_char,
    _message: *mut c_char,
    _message_size: usize,
) -> *mut Device {
    let mut device = Box::new(Device {
        host,
        machine,
        config: [0; 256],
        reg: [0; REGISTERS],
        doorbell: false,
        reset_memory: false,
    });
    device.power_on();
    device.reset_registers();
    Box::into_raw(device)
}

extern "C" fn destroy(device: *mut Device) {
    // SAFETY: made by create(), and given back once.
    drop(unsafe { Box::from_raw(device) });
}

extern "C" fn describe(_device: &Device, info: &mut Info) {
    info.config_bytes = 256;
    info.bars[0].size = 0x10000;
}

extern "C" fn reset(device: &mut Device, kind: u32) {
    device.config[4..6].fill(0);
    if kind == 0 {
        device.power_on();
    }
    device.reset_registers();
}

extern "C" fn config_read(device: &Device, offset: u32, size: u32) -> u32 {
    (0..size).fold(0, |value, i| value | u32::from(device.config[(offset + i) as usize]) << (8 * i))
}

extern "C" fn config_write(device: &mut Device, offset: u32, size: u32, value: u32) {
    for i in 0..size {
        // Bits that a driver can change: command, cache line and latency, BAR0, interrupt line.
        let writable = match offset + i {
            4 => 0x47,
            5 => 0x05,
            12 | 13 | 18 | 19 | 0x3C => 0xFF,
            _ => 0,
        };
        let byte = &mut device.config[(offset + i) as usize];
        *byte = (*byte & !writable) | ((value >> (8 * i)) as u8 & writable);
    }
    device.update_line();
}

// Returns the byte lanes of one dword, or two consecutive dwords (device.md 3).
extern "C" fn bar_read(device: &Device, _bar: u32, offset: u64, size: u32) -> u64 {
    let index = offset as usize / 4;
    let low = u64::from(device.read_register(index));
    match size {
        _ if device.command() & 2 == 0 => u64::MAX,
        8 => low | u64::from(device.read_register(index + 1)) << 32,
        4 => low,
        _ => low >> (offset % 4 * 8),
    }
}

extern "C" fn bar_write(device: &mut Device, _bar: u32, offset: u64, size: u32, value: u64) {
    let index = offset as usize / 4;
    if device.command() & 2 == 0 {
        return;
    }
    let mut low = value as u32;
    if size < 4 {
        let shift = offset % 4 * 8;
        let mask = (((1u64 << (size * 8)) - 1) << shift) as u32;
        low = (device.read_register(index) & !mask) | ((low << shift) & mask);
    }
    device.write_register(index, low);
    if size == 8 {
        device.write_register(index + 1, (value >> 32) as u32);
    }
}

extern "C" fn poll(device: &mut Device, _now_ns: u64) -> u64 {
    if device.command() & 4 == 0 {
        return NEVER; // without bus master everything waits (device.md 2.1)
    }
    if std::mem::take(&mut device.reset_memory) {
        device.reset_ring_memory();
    }
    if std::mem::take(&mut device.doorbell) && device.reg[RING_CONTROL] != 0 {
        device.process_ring();
    }
    NEVER
}

static TABLE: Plugin<Device> = Plugin {
    major: agpu_device_plugin::MAJOR,
    minor: agpu_device_plugin::MINOR,
    size: size_of::<Plugin<Device>>() as u64,
    name: b"minimal-rs\0".as_ptr().cast(),
    about: b"The minimal device, in Rust.\0".as_ptr().cast(),
    create,
    destroy,
    describe,
    reset,
    config_read,
    config_write,
    bar_read,
    bar_write,
    poll,
    picture: None,
    dump: None,
    register_name: None,
    save: None,
    load: None,
};

#[no_mangle]
pub extern "C" fn agpu_device_plugin() -> &'static Plugin<Device> {
    &TABLE
}
