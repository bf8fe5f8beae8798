use sokudo_model::{DriveCache, FileSystemKind, RaidBy, RaidLevel};

use super::*;

fn words(text: &str) -> Option<Vec<String>> {
    let parted = text.split('|').map(str::to_owned).collect();
    (!text.contains('"')).then_some(parted)
}

fn axis(name: &str, texts: &[&str]) -> Axis {
    let kind = AxisKind::named(name);
    let texts: Vec<String> = texts.iter().map(|it| (*it).to_owned()).collect();
    Axis {
        values: values(&kind, &texts, words).unwrap(),
        kind,
    }
}

fn request(disks: usize, axes: Vec<Axis>) -> MatrixRequest {
    MatrixRequest {
        axes,
        method: "mark".to_owned(),
        disks,
        seed: 1,
        initial_sync: false,
    }
}

fn plan(disks: usize, axes: Vec<Axis>) -> MatrixPlan {
    request(disks, axes).plan().unwrap()
}

fn notes(cell: &MatrixCell) -> String {
    let notes: Vec<String> = cell.notes.iter().map(sokudo_words::Text::english).collect();
    notes.join("; ")
}

#[test]
fn commas_part_values_whose_names_stand_behind_them() {
    let named = |text: &str| {
        let of = axis("fs", &[text]);
        let values = of.values.into_iter();
        let pairs = values.map(|it| (it.word, it.name, it.options.mkfs.join(" ")));
        pairs.collect::<Vec<_>>()
    };
    let value =
        |word: &str, name: &str, mkfs: &str| (word.to_owned(), name.to_owned(), mkfs.to_owned());
    let two = [value("ext4", "a", ""), value("ext4", "b", "")];
    assert_eq!(named("ext4|name=a,ext4|name=b"), two);
    let mixed = [
        value("xfs", "xfs", ""),
        value("ext4", "c", "-E a=1,b=2"),
        value("jfs", "jfs", ""),
    ];
    assert_eq!(named("xfs,ext4|mkfs=-E a=1,b=2|name=c,jfs"), mixed);
}

#[test]
fn every_combination_is_a_cell_and_the_last_axis_changes_fastest() {
    let plan = plan(
        3,
        vec![axis("raid", &["none,0@2,5"]), axis("fs", &["ext4,xfs"])],
    );
    let cells: Vec<&[usize]> = plan.cells.iter().map(|it| &it.values[..]).collect();
    assert_eq!(cells, [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]);
    let arrays = plan.cells.iter().map(|it| it.volume.as_ref().unwrap().raid);
    let arrays: Vec<_> = arrays.map(|it| (it.level, it.disks)).collect();
    assert_eq!(arrays[2], (RaidLevel::Raid0, 2));
    assert_eq!(arrays[5], (RaidLevel::Raid5, 3));
}

#[test]
fn file_systems_with_raid_of_their_own_use_it_unless_told_otherwise() {
    let plan = plan(
        2,
        vec![
            axis("raid", &["1,md:1,own:1"]),
            axis("fs", &["ext4,btrfs,zfs"]),
        ],
    );
    let by: Vec<Option<RaidBy>> = plan
        .cells
        .iter()
        .map(|it| it.volume.as_ref().map(|it| it.raid.by))
        .collect();
    let (md, own) = (Some(RaidBy::Md), Some(RaidBy::FileSystem));
    assert_eq!(by, [md, own, own, md, md, md, None, own, own]);
    assert!(notes(&plan.cells[5]).contains("stands on Linux software RAID"));
    assert!(notes(&plan.cells[6]).contains("cannot combine disks itself"));
}

#[test]
fn combinations_that_make_no_sense_say_why() {
    for (disks, raid, fs, why) in [
        (2, "5", "ext4", "RAID 5 needs 3 disks and has 2"),
        (2, "0@3", "ext4", "needs more than the 2 that are given"),
        (5, "10", "zfs", "even number"),
        (3, "own:0", "xfs", "cannot combine disks"),
    ] {
        let plan = plan(disks, vec![axis("raid", &[raid]), axis("fs", &[fs])]);
        assert_eq!(plan.cells[0].volume, None);
        assert!(
            notes(&plan.cells[0]).contains(why),
            "{}",
            notes(&plan.cells[0])
        );
    }
}

#[test]
fn values_carry_options_for_programs() {
    let plan = plan(
        1,
        vec![
            axis("fs", &["xfs|mkfs=-m reflink=0|name=old", "ext4"]),
            axis("mount", &["defaults", "noatime,discard"]),
            axis("write-cache", &["off"]),
            axis("size", &["name=small|method=--size 16MiB"]),
        ],
    );
    assert_eq!(plan.axes[0].values, ["old", "ext4"]);
    let cell = &plan.cells[1];
    let volume = cell.volume.as_ref().unwrap();
    assert_eq!(volume.file_system, FileSystemKind::Xfs);
    assert_eq!(volume.options.mkfs, ["-m", "reflink=0"]);
    assert_eq!(volume.options.mount, ["noatime", "discard"]);
    assert_eq!(cell.drive_cache, DriveCache::Off);
    assert_eq!(cell.method, ["--size", "16MiB"]);
}

#[test]
fn what_cannot_be_understood_is_refused_with_the_way_out() {
    for (name, value, expected) in [
        ("raid", "7", "write a level"),
        ("raid", "0@0", "write a level"),
        ("raid", "zfs:0", "write a level"),
        ("fs", "ntfs", "use ext2"),
        ("mount", "ro", "leave it out"),
        ("mount", "a b", "leave it out"),
        ("scheduler", "../x", "name of a scheduler"),
        ("write-cache", "maybe", "on or off"),
        ("ageing", "99%", "fresh"),
        ("fs", "ext4,ext4", "twice"),
        ("block", "a", "cannot be an axis"),
        ("a b", "a", "cannot be an axis"),
    ] {
        let refused = request(2, vec![axis(name, &[value])]).plan().unwrap_err();
        assert!(refused.to_string().contains(expected), "{refused}");
    }
    let kind = AxisKind::FileSystem;
    let unknown = values(&kind, &["xfs|mkfz=1".to_owned()], words).unwrap_err();
    assert!(unknown.to_string().contains("mkfz=1"), "{unknown}");
}

#[test]
fn more_cells_than_anybody_waits_for_are_refused() {
    let many: Vec<String> = (0..40).map(|it| it.to_string()).collect();
    let many = many.join(",");
    let axes = ["a", "b", "c"].map(|name| axis(name, &[&many]));
    let refused = request(1, axes.to_vec()).plan().unwrap_err();
    assert_eq!(refused, MatrixError::TooMany { count: 64_000 });
}

#[test]
fn the_example_is_a_matrix() {
    let file = MatrixFile::read("example", EXAMPLE).unwrap();
    let axes = file.axes("example").unwrap();
    let names: Vec<&str> = axes.iter().map(|axis| axis.kind.name()).collect();
    assert_eq!(names, ["raid", "fs", "mount"]);
    let plan = plan(file.disks.len(), axes);
    assert_eq!(plan.cells.len(), 40);
    assert!(plan.cells.iter().all(|cell| cell.volume.is_some()));
    assert_eq!(plan.axes[1].values[2], "xfs-noreflink");
    // What is commented out can be used, too.
    let open = EXAMPLE.lines().map(|line| {
        let rest = line
            .strip_prefix("# ")
            .filter(|it| it.contains('=') || it.starts_with('['));
        rest.unwrap_or(line)
    });
    let open: Vec<&str> = open.filter(|line| !line.starts_with("disks")).collect();
    let whole = MatrixFile::read("example", &open.join("\n")).unwrap();
    assert_eq!(whole.axes("example").unwrap().len(), 7);
    assert_eq!(whole.r#loop.as_deref(), Some("3x2GiB"));
}

#[test]
fn a_file_that_is_none_of_a_matrix_says_what_is_wrong() {
    for text in ["nonsense", "blocks = 'x'", "colour = 1"] {
        let error = MatrixFile::read("a.toml", text).unwrap_err().to_string();
        assert!(error.starts_with("a.toml cannot be read"), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
    for axes in ["fs = 'ext4'", "fs = [true]", "fs = [{ colour = 'red' }]"] {
        let file = MatrixFile::read("a.toml", &format!("[axes]\n{axes}")).unwrap();
        assert!(file.axes("a.toml").is_err(), "{axes}");
    }
}
