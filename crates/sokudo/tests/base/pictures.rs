//! Pictures: where they go, which kind, and what is refused before anything is measured.

use std::fs;

use crate::sokudo::{end, holds, mark, program, sokudo, sokudo_in, split};

/// A short run with a result kept as JSON, in a directory of its own.
fn kept() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let result = directory.path().join("result.json");
    let arguments = format!("--row RND4K,Q4 --format json --output {}", result.display());
    mark("sim:ssd", &arguments).ok();
    directory
}

fn plot(directory: &tempfile::TempDir, arguments: &str) -> crate::sokudo::Ended {
    let mut command = program();
    command
        .current_dir(directory.path())
        .arg("plot")
        .args(split(arguments));
    end(&mut command)
}

#[test]
fn a_run_writes_its_table_and_every_picture_that_was_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (svg, png) = (at("rates.svg"), at("rates.PNG"));
    let mut arguments = format!("--why --plot {svg} --plot -");
    if cfg!(feature = "png") {
        arguments += &format!(" --plot {png}");
    }
    mark("sim:ssd", &arguments)
        .ok()
        .prints(&["Repeat: sokudo mark", "rate by row"]);
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg "));
    if cfg!(feature = "png") {
        assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG\r\n"));
    }
}

#[test]
fn a_kept_result_gives_the_same_picture_as_its_run() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (json, first) = (at("result.json"), at("first.svg"));
    let arguments = format!("--format json --output {json} --plot {first}");
    mark("sim:ssd", &arguments).ok();
    assert_eq!(plot(&directory, "result.json second.svg").ok().printed, "");
    let second = fs::read(at("second.svg")).unwrap();
    assert_eq!(fs::read(first).unwrap(), second);
}

#[test]
fn every_kind_that_fits_is_drawn_and_others_name_those() {
    let directory = kept();
    for kind in ["bars", "cdf", "histogram", "time"] {
        plot(&directory, &format!("result.json --plot-kind {kind}"))
            .ok()
            .prints(&["sim:ssd (1.0 TB): "]);
    }
    let words = [
        "no picture of kind curve",
        "bars, cdf, histogram, time and card fit",
    ];
    plot(&directory, "result.json --plot-kind curve").refused(2, &words);
    plot(&directory, "result.json --plot-kind pie").refused(2, &["pie", "histogram"]);
}

#[test]
fn what_cannot_become_a_picture_is_refused_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().to_str().unwrap();
    mark(place, "--plot rates.gif").refused(2, &["rates.gif", ".svg"]);
    mark(place, "--plot /no/such/rates.svg").refused(2, &["/no/such/rates.svg"]);
    mark(place, "--plot - --format json").refused(2, &["--plot -", "--output"]);
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn one_file_does_not_take_two_results() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rates.svg");
    let file = file.to_str().unwrap();
    mark("sim:ssd", &format!("--output {file} --plot {file}")).refused(2, &["rates.svg", "twice"]);
    mark("sim:ssd", &format!("--plot {file} --plot {file}")).refused(2, &["rates.svg", "twice"]);
    assert!(!fs::exists(file).unwrap());
}

#[test]
fn results_do_not_take_the_place_of_the_file_that_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("dear.img");
    let link = directory.path().join("link.svg");
    fs::write(&file, vec![7; 4 << 20]).unwrap();
    fs::hard_link(&file, &link).unwrap();
    let (data, jobs) = (file.display(), directory.path().join("jobs.fio"));
    fs::write(&jobs, format!("[a]\nfilename={data}\nrw=read\nsize=1m\n")).unwrap();
    for (option, path) in [("--output", &file), ("--plot", &link)] {
        for what in [
            format!("scan --points 2 {data}"),
            format!("run {}", jobs.display()),
        ] {
            sokudo(&format!("{what} --quiet {option} {}", path.display())).refused(
                3,
                &["is the target of the measurement", "name another file"],
            );
        }
    }
    assert!(fs::read(&file).unwrap() == vec![7; 4 << 20]);
}

#[test]
fn a_scan_has_pictures_of_access_times_by_size_and_of_the_drives_cache() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let scan =
        "scan sim:hdd?size=64GiB --points 0 --random --extra --quiet --format json -o run.json";
    sokudo_in(directory.path(), scan).ok();
    let picture = |kind: &str| {
        let show = format!("show run.json --plot {kind}.svg --plot-kind {kind}");
        sokudo_in(directory.path(), &show).ok();
        fs::read_to_string(at(&format!("{kind}.svg"))).unwrap()
    };
    let access = picture("access");
    holds(
        &access,
        &[
            "by size",
            "ACCESS 4K read",
            "RANDOM 512B read",
            "RANDOM 1M read",
        ],
    );
    assert!(!access.contains("RANDOM 4K read"), "each size once");
    holds(
        picture("cache"),
        &["rate of the drive", "64 KiB", "64 MiB", "read again"],
    );
    let scan = "scan sim:hdd?size=64GiB&fail_at=20GiB:EIO --full --access-count 0 --quiet --format json -o bad.json";
    sokudo_in(directory.path(), scan).ends(1);
    sokudo_in(
        directory.path(),
        "show bad.json --plot map.svg --plot-kind map",
    )
    .ok();
    let map = fs::read_to_string(at("map.svg")).unwrap();
    holds(&map, &["1 range failed", "×", "lowest MB/s"]);
    let words = ["regions that are read again and again"];
    plot(&kept(), "result.json --plot-kind cache").refused(2, &words);
}
