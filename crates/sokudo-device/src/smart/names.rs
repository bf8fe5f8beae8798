//! What most makers mean by an attribute's number. The names are those that smartctl
//! has made usual.

/// The name of an attribute.
pub(super) fn name(id: u8) -> &'static str {
    NAMES
        .binary_search_by_key(&id, |(number, _)| *number)
        .map_or("Unknown_Attribute", |index| NAMES[index].1)
}

/// In order of the numbers.
const NAMES: [(u8, &str); 80] = [
    (1, "Raw_Read_Error_Rate"),
    (2, "Throughput_Performance"),
    (3, "Spin_Up_Time"),
    (4, "Start_Stop_Count"),
    (5, "Reallocated_Sector_Ct"),
    (6, "Read_Channel_Margin"),
    (7, "Seek_Error_Rate"),
    (8, "Seek_Time_Performance"),
    (9, "Power_On_Hours"),
    (10, "Spin_Retry_Count"),
    (11, "Calibration_Retry_Count"),
    (12, "Power_Cycle_Count"),
    (13, "Read_Soft_Error_Rate"),
    (22, "Helium_Level"),
    (23, "Helium_Condition_Lower"),
    (24, "Helium_Condition_Upper"),
    (170, "Available_Reservd_Space"),
    (171, "Program_Fail_Count"),
    (172, "Erase_Fail_Count"),
    (173, "Wear_Leveling_Count"),
    (174, "Unexpect_Power_Loss_Ct"),
    (175, "Program_Fail_Count_Chip"),
    (176, "Erase_Fail_Count_Chip"),
    (177, "Wear_Leveling_Count"),
    (178, "Used_Rsvd_Blk_Cnt_Chip"),
    (179, "Used_Rsvd_Blk_Cnt_Tot"),
    (180, "Unused_Rsvd_Blk_Cnt_Tot"),
    (181, "Program_Fail_Cnt_Total"),
    (182, "Erase_Fail_Count_Total"),
    (183, "Runtime_Bad_Block"),
    (184, "End-to-End_Error"),
    (187, "Reported_Uncorrect"),
    (188, "Command_Timeout"),
    (189, "High_Fly_Writes"),
    (190, "Airflow_Temperature_Cel"),
    (191, "G-Sense_Error_Rate"),
    (192, "Power-Off_Retract_Count"),
    (193, "Load_Cycle_Count"),
    (194, "Temperature_Celsius"),
    (195, "Hardware_ECC_Recovered"),
    (196, "Reallocated_Event_Count"),
    (197, "Current_Pending_Sector"),
    (198, "Offline_Uncorrectable"),
    (199, "UDMA_CRC_Error_Count"),
    (200, "Multi_Zone_Error_Rate"),
    (201, "Soft_Read_Error_Rate"),
    (202, "Data_Address_Mark_Errs"),
    (203, "Run_Out_Cancel"),
    (204, "Soft_ECC_Correction"),
    (205, "Thermal_Asperity_Rate"),
    (206, "Flying_Height"),
    (207, "Spin_High_Current"),
    (208, "Spin_Buzz"),
    (209, "Offline_Seek_Performnce"),
    (220, "Disk_Shift"),
    (221, "G-Sense_Error_Rate"),
    (222, "Loaded_Hours"),
    (223, "Load_Retry_Count"),
    (224, "Load_Friction"),
    (225, "Load_Cycle_Count"),
    (226, "Load-in_Time"),
    (227, "Torq-amp_Count"),
    (228, "Power-off_Retract_Count"),
    (230, "Head_Amplitude"),
    (231, "Temperature_Celsius"),
    (232, "Available_Reservd_Space"),
    (233, "Media_Wearout_Indicator"),
    (234, "Average_Erase_Count"),
    (235, "Good_Block_Count"),
    (240, "Head_Flying_Hours"),
    (241, "Total_LBAs_Written"),
    (242, "Total_LBAs_Read"),
    (243, "Total_LBAs_Written_Expanded"),
    (244, "Total_LBAs_Read_Expanded"),
    (246, "Total_Host_Sector_Write"),
    (247, "Host_Program_Page_Count"),
    (248, "FTL_Program_Page_Count"),
    (249, "NAND_Writes_1GiB"),
    (250, "Read_Error_Retry_Rate"),
    (254, "Free_Fall_Sensor"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_found() {
        assert!(NAMES.is_sorted_by_key(|(number, _)| *number));
        for (number, text) in NAMES {
            assert_eq!(name(number), text);
        }
        assert_eq!(name(0), "Unknown_Attribute");
        assert_eq!(name(255), "Unknown_Attribute");
    }
}
