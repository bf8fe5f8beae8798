//! Pictures: where they go, which kind, and what is refused before anything is measured.

use std::fs;

use crate::sokudo::{end, mark, program, sokudo, split};

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
fn each_picture_has_the_kind_behind_its_name() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name).to_str().unwrap().to_owned();
    let (json, bars, latencies) = (at("run.json"), at("bars.svg"), at("latencies.svg"));
    let pictures = format!("--plot {bars} --plot {latencies}=cdf --plot-kind bars");
    mark(
        "sim:ssd",
        &format!("--format json --output {json} {pictures}"),
    )
    .ok();
    let [bars, latencies] = [bars, latencies].map(|name| fs::read_to_string(name).unwrap());
    assert_ne!(bars, latencies);
    plot(&directory, "run.json again.svg --plot-kind cdf").ok();
    assert_eq!(fs::read_to_string(at("again.svg")).unwrap(), latencies);
    let never = at("never.svg");
    let both = format!("--plot {never}=cdf --plot {never}.svg=map");
    sokudo(&format!("show {json} {both}"))
        .ends(2)
        .tells(&["map", "bars"]);
    assert!(!fs::exists(never).unwrap());
    mark("sim:ssd", "--plot -=pie").refused(2, &["pie", "histogram"]);
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
fn what_cannot_become_a_picture_is_refused_before_anything_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().to_str().unwrap();
    mark(place, "--plot rates.gif").refused(2, &["rates.gif", ".svg"]);
    mark(place, "--plot /no/such/rates.svg").refused(2, &["/no/such/rates.svg"]);
    mark(place, "--plot - --format json").refused(2, &["--plot -", "--output"]);
    mark(place, "--plot - --plot-kind pie").refused(2, &["pie", "histogram"]);
    let left: Vec<_> = fs::read_dir(directory.path()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn one_file_does_not_take_two_results() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("rates.svg");
    let file = file.to_str().unwrap();
    mark("sim:ssd", &format!("--output {file} --plot {file}")).refused(2, &["rates.svg", "--plot"]);
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
