//! Pages laid out by the standards as disks of today send them.

use sokudo_device::{ata, nvme, scsi, smart};
use sokudo_model::Bytes;
use sokudo_model::disk::{Health, HealthState, Rotation};
use sokudo_sys::scsi::AtaRegisters;

/// IDENTIFY DEVICE from words, with its checksum.
fn identify(words: &[(usize, u16)], model: &str, serial: &str) -> Vec<u8> {
    let mut page = vec![0_u8; 512];
    let mut put = |index: usize, word: u16| {
        page[index * 2..index * 2 + 2].copy_from_slice(&word.to_le_bytes());
    };
    let mut text = |first: usize, words: usize, text: &str| {
        let padded = format!("{text:<width$}", width = words * 2);
        for (index, pair) in padded.as_bytes().chunks_exact(2).enumerate() {
            put(first + index, u16::from_be_bytes([pair[0], pair[1]]));
        }
    };
    text(27, 20, model);
    text(10, 10, serial);
    text(23, 4, "SC61");
    for (index, word) in words {
        put(*index, *word);
    }
    page[510] = 0xa5;
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = 0_u8.wrapping_sub(sum);
    page
}

/// What all disks of today say: word 53, validity of 82 to 87, SMART, caches, 48 bits.
const USUAL: [(usize, u16); 9] = [
    (53, 0x0007),
    (80, 0x0ff0),
    (82, 0x0061),
    (83, 0x7400),
    (84, 0x4123),
    (85, 0x0061),
    (86, 0x3400),
    (87, 0x4123),
    (88, 0x407f),
];

#[test]
fn a_hard_disk_with_512e_sectors() {
    let words = [
        &USUAL[..],
        // 16 TB: 31251759104 sectors.
        &[(100, 0x0000), (101, 0x46c0), (102, 0x0007)],
        &[(106, 0x6003), (209, 0x4000), (168, 0x0002), (217, 7200)],
        &[(75, 31), (76, 0x850e), (77, 0x0006), (222, 0x11ff)],
        &[(108, 0x5000), (109, 0xc500), (110, 0xcafe), (111, 0x0001)],
    ]
    .concat();
    let disk = ata::identity(&identify(&words, "ST16000NM001G-2KK103", "ZL2ABCDE")).unwrap();
    assert_eq!(disk.model, "ST16000NM001G-2KK103");
    assert_eq!((&*disk.serial, &*disk.firmware), ("ZL2ABCDE", "SC61"));
    assert_eq!(disk.sectors, 0x0007_46c0_0000);
    assert_eq!(
        (disk.logical_sector_bytes, disk.physical_sector_bytes),
        (512, 4096)
    );
    assert_eq!(ata::rotation(disk.rotation_rate), Rotation::PerMinute(7200));
    assert_eq!(ata::form_factor(disk.form_factor), Some("3.5 inch"));
    assert_eq!(
        (disk.sata_generation, disk.sata_generation_max),
        (Some(3), Some(3))
    );
    assert_eq!(disk.queue_depth, Some(32));
    assert_eq!(disk.standard.as_deref(), Some("ACS-4"));
    assert_eq!(disk.transport.as_deref(), Some("SATA 3.3"));
    assert_eq!(disk.world_wide_name, Some(0x5000_c500_cafe_0001));
    assert_eq!(
        (disk.write_cache, disk.read_look_ahead),
        (Some(true), Some(true))
    );
    assert_eq!(disk.trim, None);
}

#[test]
fn a_hard_disk_with_4k_sectors_whose_caches_are_off() {
    let words = [
        &USUAL[..],
        // Logical sectors of 2048 words, one per physical one.
        &[
            (85, 0x0001),
            (106, 0x5000),
            (117, 2048),
            (118, 0),
            (217, 0xffff),
        ],
        &[(100, 0x1000), (101, 0xe8e0)],
    ]
    .concat();
    let disk = ata::identity(&identify(&words, "HUS726T4TALN6L4", "V6G1")).unwrap();
    assert_eq!(
        (disk.logical_sector_bytes, disk.physical_sector_bytes),
        (4096, 4096)
    );
    assert_eq!(
        (disk.write_cache, disk.read_look_ahead),
        (Some(false), Some(false))
    );
    // FFFFh is reserved.
    assert_eq!(disk.rotation_rate, 0);
    assert_eq!(ata::rotation(disk.rotation_rate), Rotation::Unknown);
}

#[test]
fn a_solid_state_disk_with_trim() {
    let words = [
        &USUAL[..],
        &[(69, 0x4020), (105, 8), (169, 1), (168, 3), (217, 1)],
        &[
            (75, 31),
            (76, 0xe70e),
            (77, 0x0086),
            (78, 0x014c),
            (79, 0x0048),
        ],
        &[
            (128, 0x0029),
            (222, 0x107f),
            (83, 0x7408),
            (86, 0x3408),
            (91, 0x40fe),
        ],
    ]
    .concat();
    let disk = ata::identity(&identify(&words, "Samsung SSD 870 EVO 1TB", "S5Y2")).unwrap();
    assert_eq!(ata::rotation(disk.rotation_rate), Rotation::None);
    assert_eq!(ata::form_factor(disk.form_factor), Some("2.5 inch"));
    assert_eq!(disk.trim.as_deref(), Some("zeros"));
    assert_eq!(disk.trim_blocks_max, Some(8));
    assert_eq!(disk.power_management_level, Some(0xfe));
    assert_eq!(disk.security, ["supported", "frozen", "enhanced erase"]);
    let sleep = ("Device Sleep (DEVSLP)".to_owned(), Some(false));
    assert!(disk.features.contains(&sleep));
}

#[test]
fn a_damaged_identify_page_is_refused() {
    let mut page = identify(&USUAL, "X", "Y");
    page[60] ^= 1;
    assert!(matches!(
        ata::identity(&page),
        Err(sokudo_device::PageError::Checksum { .. })
    ));
}

/// SMART data or thresholds: id, bytes 1 to 11 of each entry.
fn smart_page(entries: &[[u8; 12]]) -> Vec<u8> {
    let mut page = vec![0_u8; 512];
    page[0] = 16;
    for (index, entry) in entries.iter().enumerate() {
        page[2 + index * 12..14 + index * 12].copy_from_slice(entry);
    }
    let sum = page.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    page[511] = 0_u8.wrapping_sub(sum);
    page
}

#[test]
fn a_failing_disk_says_why() {
    let data = smart_page(&[
        [5, 0x33, 0, 4, 4, 0x10, 0x27, 0, 0, 0, 0, 0],
        [9, 0x32, 0, 60, 60, 0x20, 0x4e, 0, 0, 0xab, 0xcd, 0],
        [194, 0x22, 0, 35, 45, 35, 0, 12, 0, 45, 0, 0],
        [197, 0x12, 0, 100, 100, 16, 0, 0, 0, 0, 0, 0],
    ]);
    let thresholds = smart_page(&[[5, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]);
    let attributes = smart::attributes(&data, Some(&thresholds)).unwrap();
    assert_eq!(attributes[0].threshold, Some(10));
    assert_eq!(attributes[1].threshold, None);
    let registers = |lba_middle, lba_high| AtaRegisters {
        lba_middle,
        lba_high,
        ..AtaRegisters::default()
    };
    let failing = smart::expects_failure(registers(0xf4, 0x2c));
    assert_eq!(failing, Some(true));
    assert_eq!(smart::expects_failure(registers(0x4f, 0xc2)), Some(false));
    assert_eq!(smart::expects_failure(registers(0, 0)), None);
    let health = smart::health(attributes, failing);
    assert_eq!(health.state, HealthState::Failing);
    assert_eq!(health.reallocated_sectors, Some(10_000));
    assert_eq!(health.pending_sectors, Some(16));
    // The upper bytes are minutes or something else, as makers like.
    assert_eq!(health.power_on_hours, Some(20_000));
    assert_eq!(health.temperature_celsius, Some(35));
    assert!(
        health.reasons[0]
            .english()
            .contains("predicts its own failure")
    );
    assert!(
        health
            .reasons
            .iter()
            .any(|it| it.english().contains("Reallocated_Sector_Ct"))
    );
    assert!(health.reasons.iter().any(|it| it.english().contains("16")));
}

#[test]
fn pending_sectors_make_a_disk_suspicious_that_calls_itself_well() {
    let data = smart_page(&[[197, 0x12, 0, 100, 100, 1, 0, 0, 0, 0, 0, 0]]);
    let attributes = smart::attributes(&data, None).unwrap();
    assert_eq!(
        smart::health(attributes, Some(false)).state,
        HealthState::Warning
    );
}

#[test]
fn device_statistics_are_read_where_they_are_valid() {
    let statistics = |number: u8, values: &[(usize, u64)]| {
        let mut page = vec![0_u8; 512];
        page[0] = 1;
        page[2] = number;
        for (at, value) in values {
            page[*at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        page
    };
    let valid = 0b11 << 62;
    let mut health = Health::default();
    let general = statistics(1, &[(8, valid | 12), (16, valid | 4321), (24, 1 << 63 | 9)]);
    smart::add_statistics(&mut health, &general);
    assert_eq!(
        (health.power_cycles, health.power_on_hours),
        (Some(12), Some(4321))
    );
    // Supported, but not valid.
    assert_eq!(health.written_bytes, None);
    smart::add_statistics(&mut health, &statistics(5, &[(8, valid | 0xf6)]));
    assert_eq!(health.temperature_celsius, Some(-10));
    smart::add_statistics(&mut health, &statistics(7, &[(8, valid | 3)]));
    assert_eq!(health.used_percent, Some(3));
    assert_eq!(health.state, HealthState::Unknown);
    smart::add_statistics(&mut health, &statistics(4, &[(8, valid | 6)]));
    assert_eq!(health.media_errors, Some(6));
    assert_eq!(health.state, HealthState::Warning);
    let mut list = statistics(0, &[]);
    list[8..12].copy_from_slice(&[3, 0, 1, 7]);
    assert_eq!(smart::statistics_pages(&list), [0, 1, 7]);
}

#[test]
fn an_nvme_disk_with_formats_host_memory_and_power_states() {
    let mut page = vec![0_u8; 4096];
    page[24..64].copy_from_slice(format!("{:<40}", "WD_BLACK SN770 1TB").as_bytes());
    page[77] = 7;
    page[80..84].copy_from_slice(&0x0001_0400_u32.to_le_bytes());
    page[263] = 2;
    page[265] = 1;
    page[266..268].copy_from_slice(&357_u16.to_le_bytes());
    page[272..276].copy_from_slice(&51_200_u32.to_le_bytes());
    page[276..280].copy_from_slice(&823_u32.to_le_bytes());
    page[280..296].copy_from_slice(&1_000_204_886_016_u128.to_le_bytes());
    page[520] = 0b0000_0100;
    page[525] = 7;
    for (index, (power, flags, exit)) in [(540_u16, 0_u8, 0_u32), (24, 0, 500), (330, 3, 45_000)]
        .into_iter()
        .enumerate()
    {
        let at = 2048 + index * 32;
        page[at..at + 2].copy_from_slice(&power.to_le_bytes());
        page[at + 3] = flags;
        page[at + 8..at + 12].copy_from_slice(&exit.to_le_bytes());
    }
    let controller = nvme::controller(&page).unwrap();
    assert_eq!(controller.model, "WD_BLACK SN770 1TB");
    assert_eq!(controller.host_memory_preferred_bytes, Bytes::mib(200));
    assert_eq!(controller.total_bytes, Some(1_000_204_886_016));
    assert!(controller.autonomous_power_states && controller.volatile_write_cache);
    assert_eq!(controller.commands, ["dataset management"]);
    let watts: Vec<Option<f64>> = controller
        .power_states
        .iter()
        .map(|it| it.power_watt_max)
        .collect();
    assert_eq!(watts, [Some(5.4), Some(0.24), Some(0.033)]);
    assert!(!controller.power_states[2].operational);
    assert_eq!(controller.power_states[2].exit_latency_us, 45_000);
}

#[test]
fn an_nvme_namespace_that_could_have_larger_blocks() {
    let mut page = vec![0_u8; 4096];
    page[0..8].copy_from_slice(&1_953_525_168_u64.to_le_bytes());
    page[24] = 0x10;
    page[25] = 1;
    page[26] = 1;
    page[46..48].copy_from_slice(&256_u16.to_le_bytes());
    page[64..66].copy_from_slice(&7_u16.to_le_bytes());
    page[120..128].copy_from_slice(&[0, 0x1b, 0x44, 0x8b, 0x44, 1, 2, 3]);
    page[128..132].copy_from_slice(&[0, 0, 9, 2]);
    page[132..136].copy_from_slice(&[8, 0, 12, 1]);
    let namespace = nvme::namespace(&page, 3).unwrap();
    assert_eq!((namespace.id, namespace.format_in_use), (3, 1));
    assert_eq!(namespace.formats[0].data_bytes, 512);
    assert_eq!(namespace.formats[1].data_bytes, 4096);
    assert_eq!(namespace.formats[1].relative_performance, 1);
    assert_eq!(namespace.preferred_write_bytes, Some(Bytes(8 * 4096)));
    assert_eq!(namespace.optimal_boundary_bytes, Some(Bytes::mib(1)));
    assert_eq!(namespace.eui64.as_deref(), Some("001b448b44010203"));
}

#[test]
fn a_worn_and_hot_nvme_disk_says_so() {
    let mut page = vec![0_u8; 512];
    page[0] = 0b0000_0011;
    page[1..3].copy_from_slice(&358_u16.to_le_bytes());
    page[3] = 4;
    page[5] = 255;
    page[160] = 2;
    page[192] = 5;
    let health = nvme::health(&page, None).unwrap();
    assert_eq!(health.state, HealthState::Failing);
    assert_eq!(health.temperature_celsius, Some(85));
    assert_eq!(health.spare_percent, Some(4));
    assert_eq!(health.throttled_minutes, Some(5));
    assert_eq!(health.throttle_events, None, "none is counted");
    page[216] = 3;
    page[220] = 1;
    page[228..232].copy_from_slice(&700_u32.to_le_bytes());
    let health = nvme::health(&page, None).unwrap();
    assert_eq!(health.throttle_events, Some(4));
    assert_eq!(health.throttled_seconds, Some(700));
    assert_eq!(health.reasons.len(), 4);
    assert!(health.reasons[2].english().contains("more than 254"));
}

#[test]
fn a_sas_disk_with_health_in_its_logs() {
    let mut inquiry = vec![0_u8; 96];
    inquiry[2] = 7;
    inquiry[7] = 2;
    inquiry[8..36].copy_from_slice(b"SEAGATE ST4000NM0023    0004");
    let mut disk = scsi::identity(&inquiry).unwrap();
    assert_eq!((&*disk.vendor, &*disk.product), ("SEAGATE", "ST4000NM0023"));
    let mut capacity = vec![0_u8; 32];
    capacity[4..8].copy_from_slice(&0xd1c0_beaf_u32.to_be_bytes());
    capacity[3] = 1;
    capacity[10] = 2;
    capacity[12] = 0b0000_0011;
    capacity[13] = 3;
    scsi::add_capacity(&mut disk, &capacity).unwrap();
    assert_eq!(disk.blocks, Some(0x1_d1c0_beb0));
    assert_eq!(
        (disk.logical_block_bytes, disk.physical_block_bytes),
        (Some(512), Some(4096))
    );
    assert_eq!((disk.protection_type, disk.thin), (Some(2), Some(false)));
    let rotation = [0, 0xb1, 0, 0x3c, 0x1c, 0x20, 0, 2, 0, 0];
    scsi::add_vital_product_data(&mut disk, 0xb1, &rotation).unwrap();
    assert_eq!(disk.rotation_rate, Some(7200));
    assert!(scsi::add_vital_product_data(&mut disk, 0xb0, &rotation).is_err());

    let log = |number: u8, parameters: &[(u16, &[u8])]| {
        let mut page = vec![number, 0, 0, 0];
        for (code, value) in parameters {
            page.extend(code.to_be_bytes());
            page.extend([3, u8::try_from(value.len()).unwrap()]);
            page.extend(*value);
        }
        let length = u16::try_from(page.len() - 4).unwrap();
        page[2..4].copy_from_slice(&length.to_be_bytes());
        page
    };
    let mut health = Health::default();
    for page in [
        log(0x02, &[(0, &[0, 0, 0, 9]), (6, &[0, 0, 0, 1])]),
        log(0x03, &[(6, &[0, 0, 0, 0, 0, 0, 0, 2])]),
        log(0x0d, &[(0, &[0, 38]), (1, &[0, 60])]),
        log(0x0e, &[(4, &[0, 0, 0, 77])]),
        log(0x15, &[(0, &[0, 1, 0xd4, 0xc0, 0, 0, 0, 0])]),
        log(0x2f, &[(0, &[0x5d, 0x10, 38])]),
    ] {
        scsi::add_log(&mut health, &page).unwrap();
    }
    scsi::judge(&mut health);
    assert_eq!(health.state, HealthState::Failing);
    assert_eq!(health.media_errors, Some(3));
    assert_eq!(health.temperature_celsius, Some(38));
    assert_eq!(health.temperature_warning_celsius, Some(60));
    assert_eq!(
        (health.power_cycles, health.power_on_hours),
        (Some(77), Some(2000))
    );
    assert!(health.reasons[0].english().contains("5dh/10h"));
}
