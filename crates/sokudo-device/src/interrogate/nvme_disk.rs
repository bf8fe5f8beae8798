//! The questions to an NVMe namespace and its controller.

use sokudo_model::disk::{FlashWrites, Health, NvmeIdentity};
use sokudo_sys::nvme::{NvmeCommand, NvmeLog, nvme_namespace};

use super::{Asker, Interrogation};
use crate::nvme;

/// Log identifier of [`NvmeLog::Extended`], as the log of supported logs lists it.
const EXTENDED_LOG: u8 = 0xc0;

pub(super) fn ask(asker: &mut Asker<'_>, found: &mut Interrogation) {
    let Some(device) = asker.device() else { return };
    let identify = asker.nvme("Identify Controller", &NvmeCommand::identify_controller());
    let lists_logs = identify
        .as_ref()
        .is_some_and(|answer| nvme::lists_logs(&answer.data));
    let controller = identify.and_then(|answer| asker.parsed(nvme::controller(&answer.data)));
    let number = asker.heard(nvme_namespace(device));
    let namespace = number.and_then(|number| {
        let command = NvmeCommand::identify_namespace(number);
        let answer = asker.nvme("Identify Namespace", &command)?;
        asker.parsed(nvme::namespace(&answer.data, number))
    });
    if let Some(log) = asker.nvme("log 02h health", &NvmeCommand::log(NvmeLog::Smart)) {
        let health = nvme::health(&log.data, controller.as_ref());
        found.health = asker.parsed(health).unwrap_or_default();
    }
    if lists_logs {
        found.health.flash_writes = flash_writes(asker, &found.health);
    }
    let Some(mut controller) = controller else {
        return;
    };
    found.write_cache.present = Some(controller.volatile_write_cache);
    found.write_cache.switchable = Some(controller.volatile_write_cache);
    if controller.volatile_write_cache {
        let answer = asker.nvme("feature 06h", &NvmeCommand::write_cache());
        controller.write_cache = answer.map(|answer| answer.result & 1 == 1);
        found.write_cache.enabled = controller.write_cache;
    }
    let errors = asker.nvme("log 01h errors", &NvmeCommand::log(NvmeLog::Errors));
    let firmware = asker.nvme("log 03h firmware", &NvmeCommand::log(NvmeLog::Firmware));
    found.identity.nvme = Some(NvmeIdentity {
        controller,
        namespace,
        firmware_revisions: firmware.map_or_else(Vec::new, |log| nvme::firmware_slots(&log.data)),
        errors: errors.and_then(|log| nvme::newest_error(&log.data)),
    });
}

/// By the log that only some controllers have.
fn flash_writes(asker: &mut Asker<'_>, health: &Health) -> Option<FlashWrites> {
    let list = asker.nvme("log 00h logs", &NvmeCommand::log(NvmeLog::Supported))?;
    if !nvme::has_log(&list.data, EXTENDED_LOG) {
        return None;
    }
    let log = asker.nvme(
        "log C0h extended health",
        &NvmeCommand::log(NvmeLog::Extended),
    )?;
    nvme::flash_writes(&log.data, health)
}
