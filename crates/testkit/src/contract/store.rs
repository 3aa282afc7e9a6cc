//! The contract of [`Store`](recrawl_core::ports::Store), in seven parts.

/// Adds the tests of [`Store`](recrawl_core::ports::Store) on the subject that the expression makes.
#[macro_export]
macro_rules! store_conformance {
    ($fresh:expr) => {
        $crate::contract_cases! { crawls, $fresh;
            a_saved_site_is_read_back_and_replaced
            a_site_that_is_saved_again_keeps_its_crawls
            crawls_are_listed_in_order_of_opening
            a_crawl_dated_ahead_comes_before_those_opened_after_it
            a_crawl_is_opened_once
            of_concurrent_openings_one_is_first
            a_crawl_that_is_closed_twice_keeps_its_first_end
            a_complete_crawl_is_read_back_whole
            why_a_site_could_not_be_read_is_read_back
            every_mode_is_read_back
            a_suspect_crawl_is_read_back_and_accepted_once
            a_suspect_crawl_is_judged_again_until_it_is_accepted
            a_suspect_crawl_is_confirmed_once_and_stays_in_doubt
            what_is_not_suspect_is_not_accepted
            writing_to_what_is_absent_is_refused
            reading_of_what_is_absent_finds_nothing
            the_crawl_under_way_is_the_newest_that_is_open
        }
        $crate::contract_cases! { records, $fresh;
            a_record_is_read_back_field_by_field
            every_word_of_a_record_is_read_back
            what_a_visit_says_of_a_difference_is_read_back
            signatures_are_read_back_to_the_last_bit
            the_first_record_of_a_page_stays
            of_concurrent_records_of_a_page_one_is_first
            concurrent_records_of_many_pages_are_all_kept
            the_newest_earlier_record_is_found
            an_earlier_crawl_without_the_page_is_skipped
            sites_with_the_same_page_do_not_mix
            paging_sees_each_record_once
            records_are_filtered_by_verdict
            a_failed_visit_carries_what_was_known
            the_longest_address_is_a_page
            pages_are_listed_as_records_are
            the_shortest_way_to_a_recorded_page_stays
        }
        $crate::contract_cases! { trust, $fresh;
            a_suspect_crawl_is_passed_over_until_it_is_accepted
            each_page_is_sighted_once_with_its_newest_record
            a_sighting_tells_what_is_known
            suspect_crawls_are_not_sighted_until_they_are_accepted
        }
        $crate::contract_cases! { contents, $fresh;
            content_without_a_body_gains_one
            stored_content_is_not_written_again
            a_body_with_the_same_meaning_stands_in
            links_keep_their_order_and_number
            a_link_that_is_not_queued_is_never_left_out
            links_of_several_contents_come_in_their_order
        }
        $crate::contract_cases! { readings, $fresh;
            a_reading_is_a_text_with_its_outline
            the_outline_that_was_written_last_is_read
            a_content_that_gains_a_body_keeps_its_outline
            a_reading_has_the_text_of_its_meaning
            what_has_no_text_has_no_reading
        }
        $crate::contract_cases! { settling, $fresh;
            a_settled_record_is_read_everywhere
            settling_again_changes_nothing
            a_page_without_a_record_is_not_settled
            many_records_are_settled_at_once
            a_settled_record_is_sighted_as_it_was_settled
            a_wish_to_archive_is_settled_too
        }
        $crate::contract_cases! { shared_changes, $fresh;
            shared_changes_are_read_back_in_their_order
            shared_changes_replace_those_before
            a_long_list_of_shared_changes_is_kept_whole
            shared_changes_of_what_is_absent_are_refused
        }
    };
}
