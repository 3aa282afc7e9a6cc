use super::*;

async fn submissions_in(settings: PaceSettings, time: Duration) -> usize {
    let pace = Pace::new(settings);
    pace.turn(None).await.unwrap();
    let end = Instant::now() + time;
    let mut submissions = 1;
    while pace.turn(None).await.is_ok() && Instant::now() <= end {
        submissions += 1;
    }
    submissions
}

#[tokio::test(start_paused = true)]
async fn no_more_than_12_are_submitted_in_a_minute_with_keys_and_4_without() {
    let minute = Duration::from_mins(1);
    assert_eq!(submissions_in(PaceSettings::authenticated(), minute).await, 12);
    assert_eq!(submissions_in(PaceSettings::anonymous(), minute).await, 4);
}

#[tokio::test(start_paused = true)]
async fn many_who_ask_at_the_same_time_get_their_turns_one_after_another() {
    let pace = Pace::new(PaceSettings::authenticated());
    let started = Instant::now();
    let turns = futures_util::future::join_all((0..40).map(|_| async {
        pace.turn(None).await.unwrap();
        started.elapsed().as_millis()
    }))
    .await;
    assert_eq!(turns, (1..=40).map(|number| 5_100 * number).collect::<Vec<u128>>());
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_somebody_does_not_live_to_see_is_the_next_ones() {
    let pace = Pace::new(PaceSettings::authenticated());
    let started = Instant::now();
    let deadline = Some(started + Duration::from_secs(3));
    let gone = futures_util::future::join_all((0..12).map(|_| pace.turn(deadline))).await;
    assert!(gone.iter().all(|turn| *turn == Err(NoTurn::Stopped)), "{gone:?}");
    assert_eq!(started.elapsed(), Duration::from_secs(3));
    pace.turn(None).await.unwrap();
    assert_eq!(started.elapsed(), Duration::from_millis(5_100));
}

#[tokio::test(start_paused = true)]
async fn a_service_that_says_how_long_it_wants_to_be_left_alone_is_left_alone_for_so_long() {
    let pace = Pace::new(PaceSettings::authenticated());
    for (asked, rest) in [(3, 3), (3, 3), (0, 0), (200, 200), (1_000_000, 3_600)] {
        let rest = Duration::from_secs(rest);
        assert_eq!(pace.rest_as_asked(Some(Duration::from_secs(asked))), rest, "Retry-After: {asked}");
        assert_eq!(pace.rests_for(), rest);
        tokio::time::advance(rest).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_rest_holds_everybody_up_and_grows() {
    let pace = Pace::new(PaceSettings::authenticated());
    let seconds = Duration::from_secs;
    let started = Instant::now();
    assert_eq!(pace.rest_as_asked(None), seconds(60));
    assert_eq!(pace.rest_after_trouble(), seconds(60), "one that was under way tells nothing new");
    assert_eq!(pace.turn(None).await, Ok(()));
    assert_eq!(started.elapsed(), seconds(60));
    assert_eq!((pace.rest_as_asked(None), pace.troubles()), (seconds(120), 2));
    tokio::time::advance(seconds(120)).await;
    assert_eq!(pace.rest_as_asked(Some(seconds(1000))), seconds(1000));
    assert!(pace.is_closed());
    assert_eq!(pace.turn(None).await, Err(NoTurn::Later(seconds(1000))));
    tokio::time::advance(seconds(1000)).await;
    pace.went_well();
    assert_eq!(pace.rest_after_trouble(), seconds(15));
    tokio::time::advance(seconds(15)).await;
    assert_eq!(pace.rest_as_asked(Some(seconds(1_000_000))), LONGEST_ASKED_REST);
}

#[tokio::test(start_paused = true)]
async fn a_rest_also_holds_for_those_who_wait_already() {
    let pace = Pace::new(PaceSettings::anonymous());
    let started = Instant::now();
    let (turn, ()) = tokio::join!(pace.turn(None), async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        pace.rest_as_asked(None);
    });
    assert_eq!((turn, started.elapsed()), (Ok(()), Duration::from_secs(61)));
}

#[tokio::test(start_paused = true)]
async fn stopping_ends_every_wait() {
    let pace = Pace::new(PaceSettings::anonymous());
    let started = Instant::now();
    let (turn, ()) = tokio::join!(pace.turn(None), async { pace.stop() });
    assert_eq!((turn, started.elapsed()), (Err(NoTurn::Stopped), Duration::ZERO));
    assert_eq!(pace.turn(None).await, Err(NoTurn::Stopped));
}
