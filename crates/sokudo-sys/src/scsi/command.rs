//! The commands that can be made. Whoever adds a constructor adds a power: it must
//! neither change nor lose a byte of anyone's data.

use crate::self_test::SelfTestOrder;

/// The largest answer that is asked for by commands that name a length.
const ANSWER_BYTES: u16 = 4096;

/// A sector of an ATA disk's own pages.
const ATA_SECTOR_BYTES: u16 = 512;

// Operation codes, from SPC and SBC.
const REQUEST_SENSE: u8 = 0x03;
const INQUIRY: u8 = 0x12;
const MODE_SELECT_6: u8 = 0x15;
const MODE_SENSE_6: u8 = 0x1a;
const SEND_DIAGNOSTIC: u8 = 0x1d;
const LOG_SENSE: u8 = 0x4d;
const MODE_SELECT_10: u8 = 0x55;
const MODE_SENSE_10: u8 = 0x5a;
const ATA_PASS_THROUGH_16: u8 = 0x85;
const SERVICE_ACTION_IN_16: u8 = 0x9e;
const READ_CAPACITY_16: u8 = 0x10;

/// The mode page of the cache, from SBC.
const CACHING_PAGE: u8 = 0x08;

/// Write cache enable, in byte 2 of the caching page.
const WCE: u8 = 0x04;

// Commands and features of ATA, from ACS.
const ATA_READ_LOG_EXT: u8 = 0x2f;
const ATA_SMART: u8 = 0xb0;
const ATA_IDENTIFY_DEVICE: u8 = 0xec;
const ATA_SET_FEATURES: u8 = 0xef;
const SMART_READ_DATA: u8 = 0xd0;
const SMART_READ_THRESHOLDS: u8 = 0xd1;
const SMART_EXECUTE_OFF_LINE: u8 = 0xd4;
const SMART_READ_LOG: u8 = 0xd5;
const SMART_RETURN_STATUS: u8 = 0xda;
const ENABLE_WRITE_CACHE: u8 = 0x02;
const DISABLE_WRITE_CACHE: u8 = 0x82;

/// A question to a disk, a change of a setting of its cache, or an order about its self-test.
/// Nothing else can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScsiCommand {
    pub(super) name: &'static str,
    pub(super) block: [u8; 16],
    pub(super) block_bytes: u8,
    pub(super) transfer: Transfer,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Transfer {
    None,
    From(u16),
    To(Vec<u8>),
}

/// Which values of a mode page are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageControl {
    Current,
    /// A mask of those that can be changed.
    Changeable,
}

impl ScsiCommand {
    /// INQUIRY: vendor, product, kind of device.
    pub fn inquiry() -> Self {
        // Old devices take no more than one byte of length.
        Self::from_device("INQUIRY", &[INQUIRY, 0, 0, 0, 0xfc, 0], 0xfc)
    }

    /// INQUIRY of a page of vital product data.
    pub fn vital_product_data(page: u8) -> Self {
        let [high, low] = ANSWER_BYTES.to_be_bytes();
        let block = [INQUIRY, 1, page, high, low, 0];
        Self::from_device("INQUIRY of a VPD page", &block, ANSWER_BYTES)
    }

    /// READ CAPACITY (16): size, block sizes, protection.
    pub fn read_capacity_16() -> Self {
        let mut block = [0; 16];
        block[0] = SERVICE_ACTION_IN_16;
        block[1] = READ_CAPACITY_16;
        block[13] = 32;
        Self::from_device("READ CAPACITY (16)", &block, 32)
    }

    /// MODE SENSE (6) of a page.
    pub fn mode_sense_6(page: u8, control: PageControl) -> Self {
        let block = [MODE_SENSE_6, 0, control.bits() | page & 0x3f, 0, 0xfc, 0];
        Self::from_device("MODE SENSE (6)", &block, 0xfc)
    }

    /// MODE SENSE (10) of a page.
    pub fn mode_sense_10(page: u8, control: PageControl) -> Self {
        let page = control.bits() | page & 0x3f;
        let block = [MODE_SENSE_10, 0, page, 0, 0, 0, 0, 0, 0xfc, 0];
        Self::from_device("MODE SENSE (10)", &block, 0xfc)
    }

    /// MODE SENSE of the caching page, by the command of 10 bytes or by that of 6, which some
    /// bridges know alone.
    pub fn caching_page(control: PageControl, is_long: bool) -> Self {
        match is_long {
            true => Self::mode_sense_10(CACHING_PAGE, control),
            false => Self::mode_sense_6(CACHING_PAGE, control),
        }
    }

    /// LOG SENSE of a page, cumulative values.
    pub fn log_sense(page: u8, subpage: u8) -> Self {
        let [high, low] = ANSWER_BYTES.to_be_bytes();
        let page = 0x40 | page & 0x3f;
        let block = [LOG_SENSE, 0, page, subpage, 0, 0, 0, high, low, 0];
        Self::from_device("LOG SENSE", &block, ANSWER_BYTES)
    }

    /// REQUEST SENSE: what the disk is busy with, and how far it is. In the fixed format.
    pub fn request_sense() -> Self {
        Self::from_device("REQUEST SENSE", &[REQUEST_SENSE, 0, 0, 0, 0xfc, 0], 0xfc)
    }

    /// SEND DIAGNOSTIC of a self-test in the background, without parameters.
    pub fn self_test(order: SelfTestOrder) -> Self {
        let code = order.of([0b001, 0b010, 0b100]);
        let block = [SEND_DIAGNOSTIC, code << 5, 0, 0, 0, 0];
        Self::new("SEND DIAGNOSTIC", &block, Transfer::None)
    }

    /// MODE SELECT of the caching page, as the drive gave it but for the write cache. Not
    /// saved: it is as before after a power cycle.
    pub fn mode_select(page: &CachingPage) -> Self {
        let bytes = u8::try_from(page.parameters.len()).expect("a longer page is refused");
        let name = "MODE SELECT of the caching page";
        let transfer = Transfer::To(page.parameters.clone());
        if page.is_long {
            let block = [MODE_SELECT_10, 0x10, 0, 0, 0, 0, 0, 0, bytes, 0];
            Self::new(name, &block, transfer)
        } else {
            Self::new(name, &[MODE_SELECT_6, 0x10, 0, 0, bytes, 0], transfer)
        }
    }

    /// IDENTIFY DEVICE of an ATA disk.
    pub fn ata_identify() -> Self {
        Ata::read("IDENTIFY DEVICE", ATA_IDENTIFY_DEVICE).command()
    }

    /// SMART READ DATA of an ATA disk: its attributes.
    pub fn ata_smart_data() -> Self {
        Ata::smart("SMART READ DATA", SMART_READ_DATA).command()
    }

    /// SMART READ THRESHOLDS of an ATA disk.
    pub fn ata_smart_thresholds() -> Self {
        Ata::smart("SMART READ THRESHOLDS", SMART_READ_THRESHOLDS).command()
    }

    /// SMART RETURN STATUS of an ATA disk: whether it expects to fail, in the registers.
    pub fn ata_smart_status() -> Self {
        Ata {
            is_read: false,
            ..Ata::smart("SMART RETURN STATUS", SMART_RETURN_STATUS)
        }
        .command()
    }

    /// SMART READ LOG of an ATA disk: the first page of a log.
    pub fn ata_smart_log(log: u8) -> Self {
        Ata {
            lba_low: log,
            ..Ata::smart("SMART READ LOG", SMART_READ_LOG)
        }
        .command()
    }

    /// SMART EXECUTE OFF-LINE IMMEDIATE of an ATA disk: a self-test beside its other work.
    pub fn ata_self_test(order: SelfTestOrder) -> Self {
        Ata {
            is_read: false,
            lba_low: order.of([1, 2, 127]),
            ..Ata::smart("SMART EXECUTE OFF-LINE IMMEDIATE", SMART_EXECUTE_OFF_LINE)
        }
        .command()
    }

    /// READ LOG EXT of an ATA disk: one page of 512 bytes.
    pub fn ata_log(log: u8, page: u16) -> Self {
        let mut ata = Ata::read("READ LOG EXT", ATA_READ_LOG_EXT);
        ata.is_extended = true;
        ata.lba_low = log;
        [ata.lba_middle_high, ata.lba_middle] = page.to_be_bytes();
        ata.command()
    }

    /// SET FEATURES of an ATA disk: its write cache on or off.
    pub fn ata_set_write_cache(on: bool) -> Self {
        let feature = if on {
            ENABLE_WRITE_CACHE
        } else {
            DISABLE_WRITE_CACHE
        };
        Ata::set_feature("SET FEATURES write cache", feature).command()
    }

    fn from_device(name: &'static str, block: &[u8], bytes: u16) -> Self {
        Self::new(name, block, Transfer::From(bytes))
    }

    fn new(name: &'static str, bytes: &[u8], transfer: Transfer) -> Self {
        let mut block = [0; 16];
        block[..bytes.len()].copy_from_slice(bytes);
        Self {
            name,
            block,
            block_bytes: u8::try_from(bytes.len()).unwrap_or(16),
            transfer,
        }
    }
}

impl PageControl {
    fn bits(self) -> u8 {
        match self {
            Self::Current => 0x00,
            Self::Changeable => 0x40,
        }
    }
}

/// The registers of one ATA command.
#[derive(Clone, Copy, Debug, Default)]
struct Ata {
    name: &'static str,
    is_read: bool,
    is_extended: bool,
    command: u8,
    feature: u8,
    count: u8,
    lba_low: u8,
    lba_middle: u8,
    lba_middle_high: u8,
    lba_high: u8,
}

impl Ata {
    fn read(name: &'static str, command: u8) -> Self {
        Self {
            name,
            is_read: true,
            command,
            count: 1,
            ..Self::default()
        }
    }

    fn smart(name: &'static str, feature: u8) -> Self {
        Self {
            feature,
            // The key without which no SMART command is taken.
            lba_middle: 0x4f,
            lba_high: 0xc2,
            ..Self::read(name, ATA_SMART)
        }
    }

    fn set_feature(name: &'static str, feature: u8) -> Self {
        Self {
            is_read: false,
            feature,
            ..Self::read(name, ATA_SET_FEATURES)
        }
    }

    /// ATA PASS-THROUGH (16), as SAT lays it out.
    fn command(self) -> ScsiCommand {
        // Protocol 4 is PIO data-in, 3 no data. With data the length is in the count
        // register, in blocks, from the device; without, the registers are asked back.
        let (protocol, flags, transfer) = if self.is_read {
            (4, 0x0e, Transfer::From(ATA_SECTOR_BYTES))
        } else {
            (3, 0x20, Transfer::None)
        };
        let block = [
            ATA_PASS_THROUGH_16,
            protocol << 1 | u8::from(self.is_extended),
            flags,
            0,
            self.feature,
            0,
            if self.is_read { self.count } else { 0 },
            0,
            self.lba_low,
            self.lba_middle_high,
            self.lba_middle,
            0,
            self.lba_high,
            0x40,
            self.command,
            0,
        ];
        ScsiCommand::new(self.name, &block, transfer)
    }
}

/// The mode page of the cache, as the drive gave it, ready to be given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CachingPage {
    parameters: Vec<u8>,
    is_long: bool,
    /// Where byte 2 of the page is.
    flags_at: usize,
}

impl CachingPage {
    /// Reads the answer to MODE SENSE of page 08h; `is_long` says that it was the one of
    /// 10 bytes. `None` where the answer holds no whole caching page.
    pub fn from_answer(answer: &[u8], is_long: bool) -> Option<Self> {
        let (header_bytes, stated, descriptor_bytes) = if is_long {
            let stated = usize::from(u16::from_be_bytes(answer.get(..2)?.try_into().ok()?)) + 2;
            let descriptors = u16::from_be_bytes(answer.get(6..8)?.try_into().ok()?);
            (8, stated, usize::from(descriptors))
        } else {
            let stated = usize::from(*answer.first()?) + 1;
            (4, stated, usize::from(*answer.get(3)?))
        };
        let answer = &answer[..stated.min(answer.len())];
        let page = answer.get(header_bytes + descriptor_bytes..)?;
        let page_bytes = usize::from(*page.get(1)?) + 2;
        // The oldest caching page has 12 bytes, today's 20. Bit 6 would be a subpage.
        if page.first()? & 0x7f != CACHING_PAGE || page_bytes < 12 || page.len() < page_bytes {
            return None;
        }
        // MODE SELECT without block descriptors, a reserved length and no PS bit, so that
        // neither the block size nor anything that is saved can change.
        let mut parameters = vec![0; header_bytes];
        parameters.extend_from_slice(&page[..page_bytes]);
        parameters[header_bytes] &= 0x3f;
        (parameters.len() <= usize::from(u8::MAX)).then_some(Self {
            parameters,
            is_long,
            flags_at: header_bytes + 2,
        })
    }

    /// Whether the write cache is on.
    pub fn write_cache(&self) -> bool {
        self.parameters[self.flags_at] & WCE != 0
    }

    /// The page itself, from its number on. It has at least 12 bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.parameters[self.flags_at - 2..]
    }

    /// The same page with the write cache on or off.
    #[must_use]
    pub fn with_write_cache(mut self, on: bool) -> Self {
        if on {
            self.parameters[self.flags_at] |= WCE;
        } else {
            self.parameters[self.flags_at] &= !WCE;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a disk of a QEMU machine answers to MODE SENSE (10) of page 08h.
    const ANSWER: [u8; 36] = [
        0, 0x22, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 2, 0, 8, 0x12, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0,
    ];

    const ORDERS: [SelfTestOrder; 3] = [
        SelfTestOrder::Short,
        SelfTestOrder::Extended,
        SelfTestOrder::Stop,
    ];

    fn all() -> Vec<ScsiCommand> {
        let page = CachingPage::from_answer(&ANSWER, true).unwrap();
        let mut all = vec![
            ScsiCommand::inquiry(),
            ScsiCommand::read_capacity_16(),
            ScsiCommand::mode_select(&page),
            ScsiCommand::ata_identify(),
            ScsiCommand::ata_smart_data(),
            ScsiCommand::ata_smart_thresholds(),
            ScsiCommand::ata_smart_status(),
            ScsiCommand::request_sense(),
        ];
        for order in ORDERS {
            all.push(ScsiCommand::self_test(order));
            all.push(ScsiCommand::ata_self_test(order));
        }
        for number in 0..=u8::MAX {
            all.push(ScsiCommand::vital_product_data(number));
            all.push(ScsiCommand::mode_sense_6(number, PageControl::Changeable));
            all.push(ScsiCommand::mode_sense_10(number, PageControl::Current));
            all.push(ScsiCommand::log_sense(number, number));
            all.push(ScsiCommand::ata_log(number, u16::from(number) << 8));
            all.push(ScsiCommand::ata_set_write_cache(number & 1 == 1));
            all.push(ScsiCommand::ata_smart_log(number));
        }
        all
    }

    #[test]
    fn no_command_writes_data() {
        for command in all() {
            let block = command.block;
            let harmless = match block[0] {
                0x03 | 0x12 | 0x1a | 0x4d | 0x5a => matches!(command.transfer, Transfer::From(_)),
                0x9e => block[1] == 0x10,
                // Only the caching page, and not saved.
                0x15 | 0x55 => block[1] == 0x10,
                // In the background, without parameters, and never beside what takes the disk
                // off its work (bits 0 to 2).
                0x1d => {
                    matches!(block[1], 0x20 | 0x40 | 0x80)
                        && block[2..6] == [0; 4]
                        && command.transfer == Transfer::None
                }
                0x85 => match (block[14], block[4]) {
                    (0xec | 0x2f, 0) => matches!(command.transfer, Transfer::From(512)),
                    (0xb0, 0xd0 | 0xd1 | 0xd5) => matches!(command.transfer, Transfer::From(512)),
                    // From 129 on the disk would leave its work undone meanwhile.
                    (0xb0, 0xd4) => {
                        matches!(block[8], 1 | 2 | 127) && command.transfer == Transfer::None
                    }
                    (0xb0, 0xda) | (0xef, 0x02 | 0x82) => command.transfer == Transfer::None,
                    _ => false,
                },
                _ => false,
            };
            assert!(harmless, "{command:?}");
        }
    }

    #[test]
    fn a_log_is_named_by_its_number_and_page() {
        let command = ScsiCommand::ata_log(0x04, 0x0105);
        assert_eq!(
            command.block,
            [0x85, 9, 0x0e, 0, 0, 0, 1, 0, 4, 1, 5, 0, 0, 0x40, 0x2f, 0]
        );
    }

    #[test]
    fn a_self_test_is_ordered_by_its_number_in_each_language() {
        let ata = |order| ScsiCommand::ata_self_test(order).block;
        assert_eq!(
            ata(SelfTestOrder::Short),
            [
                0x85, 6, 0x20, 0, 0xd4, 0, 0, 0, 1, 0, 0x4f, 0, 0xc2, 0x40, 0xb0, 0
            ]
        );
        assert_eq!(ata(SelfTestOrder::Stop)[8], 0x7f);
        let scsi = ORDERS.map(|order| ScsiCommand::self_test(order).block[1]);
        assert_eq!(scsi, [0x20, 0x40, 0x80]);
    }

    #[test]
    fn only_the_write_cache_of_a_caching_page_changes() {
        let page = CachingPage::from_answer(&ANSWER, true).unwrap();
        assert!(page.write_cache());
        let off = page.clone().with_write_cache(false);
        assert!(!off.write_cache());
        let differing: Vec<usize> = (0..page.parameters.len())
            .filter(|at| page.parameters[*at] != off.parameters[*at])
            .collect();
        assert_eq!(differing, [10]);
        // No block descriptor goes along: it could change the size of blocks.
        assert_eq!(page.parameters[..8], [0; 8]);
        assert_eq!(page.with_write_cache(true).parameters.len(), 28);
    }

    #[test]
    fn a_short_or_wrong_page_is_none() {
        for bytes in 0..ANSWER.len() {
            assert_eq!(CachingPage::from_answer(&ANSWER[..bytes], true), None);
        }
        let mut wrong = ANSWER;
        wrong[16] = 0x0a;
        assert_eq!(CachingPage::from_answer(&wrong, true), None);
        wrong = ANSWER;
        wrong[7] = 200;
        assert_eq!(CachingPage::from_answer(&wrong, true), None);
        assert_eq!(CachingPage::from_answer(&[255; 300], false), None);
    }

    #[test]
    fn the_short_form_is_read_too() {
        let mut answer = vec![0x17, 0, 0, 0];
        answer.extend_from_slice(&ANSWER[16..]);
        let page = CachingPage::from_answer(&answer, false).unwrap();
        assert!(page.write_cache());
        assert_eq!(
            ScsiCommand::mode_select(&page).block[..6],
            [0x15, 0x10, 0, 0, 24, 0]
        );
    }
}
