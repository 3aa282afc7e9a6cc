//! Relative times in other languages, in the forms of CLDR.
//!
//! Many of these words mean "before" as well ("nicht vor 30 Tagen"), or "there are" ("s'il y a 3 jours de retard"). So only
//! a line, or a part of it between bars, is noise that says nothing else, but for what was done then and by whom.

/// Words of the forms below, each of which has one.
pub(super) const WORDS: [&str; 38] = [
    "il y a ",
    "vor ",
    "hace ",
    "há ",
    " atrás",
    "geleden",
    " sedan",
    " siden",
    " sitten",
    " temu",
    "před ",
    "pred ",
    "prije ",
    "pre ",
    "ezelőtt",
    "acum ",
    "назад",
    "тому",
    "преди ",
    "πριν ",
    "önce",
    "منذ ",
    "قبل",
    "לפני ",
    "पहले",
    "lalu",
    "trước",
    "ที่",
    "前",
    "전",
    " eest",
    " tagasi",
    "pirms ",
    "prieš ",
    "o fa",
    "i fa",
    "e fa",
    "a fa",
];

/// Words of the forms for one, which are written without a digit.
pub(super) const WORDS_OF_ONE: [&str; 45] = [
    "il y a un",
    "il y a plus",
    "il y a moins",
    "il y a près",
    "il y a presque",
    "il y a environ",
    "il y a quelques",
    "vor ein",
    "vor etwa",
    "vor über",
    "vor fast",
    "vor mehr",
    "vor weni",
    "vor ca",
    "vor rund",
    "vor unge",
    "hace un",
    "hace más",
    "hace menos",
    "hace casi",
    "hace cerca",
    "hace aprox",
    "há um",
    "há mais",
    "há menos",
    "há cerca",
    "há quase",
    "há aprox",
    "há algu",
    " atrás",
    " fa",
    "geleden",
    " sedan",
    " siden",
    " sitten",
    " temu",
    "před ",
    "pred ",
    "ezelőtt",
    "acum ",
    "назад",
    "тому",
    " önce",
    "lalu",
    " trước",
];

/// Words for today and yesterday; those of other letters without their first one, which may be a capital. Alone on a line some
/// of them mean something else: "hier" is "here" in German.
pub(super) const DAYS: [&str; 34] = [
    " aujourd",
    " hier",
    "avant-hier",
    " heute",
    " gestern",
    "vorgestern",
    " hoy",
    " ayer",
    "anteayer",
    " hoje",
    " ontem",
    " oggi",
    " ieri",
    " vandaag",
    " gisteren",
    "eergisteren",
    " idag",
    " i dag",
    " igår",
    " i går",
    " tänään",
    " eilen",
    " dzisiaj",
    " dziś",
    " wczoraj",
    " dnes",
    " včera",
    "егодня",
    "чера",
    "ьогодні",
    "чора",
    " bugün",
    " dün",
    " kemarin",
];

/// What was done then.
const DONE: &str = r"(?:
    (?:dernière|dernières) \x20 (?:mise \x20 à \x20 jour|modification) | mise? \x20 à \x20 jour | publiée? | modifiée? | postée?
    | ajoutée? | créée? | actualisée? | (?:zuletzt\x20)? (?:aktualisiert|geändert|bearbeitet) | veröffentlicht | erstellt
    | gepostet | letzte \x20 (?:aktualisierung|änderung) | publicad[oa] | a[ct]?tualizad[oa] | modificad[oa] | editad[oa]
    | cread[oa] | criad[oa] | postad[oa] | (?:ú|Ú)ltima \x20 (?:actualización|atualização) | pubblicat[oa] | aggiornat[oa]
    | modificat[oa] | creat[oa] | ultim[oa] \x20 (?:aggiornamento|modifica) | (?:laatst\x20)? bijgewerkt | geplaatst
    | gepubliceerd | gewijzigd | uppdaterad | publicerad | ändrad | oppdatert | publisert | endret | opdateret | udgivet
    | ændret | päivitetty | julkaistu | opublikowano | zaktualizowano | dodano | edytowano | aktualizováno | publikováno
    | (?:О|о)бновлено | (?:О|о)публиковано | (?:И|и)зменено | (?:Д|д)обавлено | (?:О|о)новлено | güncellendi | diperbarui
    | cập \x20 nhật | 最終更新 (?:日)? | 更新 (?:于|於|日)? | 发布 (?:于)? | 發布 (?:於)? | 投稿 | 公開 | 업데이트 | 수정 | 게시
    )";

/// By whom, at the end.
const BY: &str = r"(?: \x20 (?:par|von|por|da|door|av|af|przez) \x20 (?u:[^0-9|]){1,40} )?";

/// Returns the pattern of all languages.
pub(super) fn pattern() -> String {
    let number = "(?:[0-9]{1,3})";
    format!(
        r"(?xi-u) ^ (?: {DONE} \x20? (?: : | ： )? \x20? )? (?:
        il \x20 y \x20 a \x20 {ABOUT_FR}? {number} \x20 (?:secondes?|minutes?|min|heures?|h|jours?|j|semaines?|mois|ans?|années?)
        | vor \x20 {ABOUT_DE}? {number} \x20
            (?:sekunden?|minuten?|min\.?|stunden?|std\.?|tag(?:en)?|wochen?|monat(?:en)?|jahr(?:en)?)
        | hace \x20 {ABOUT_ES}? {number} \x20 (?:segundos?|minutos?|min|horas?|h|d(?:i|í)as?|semanas?|mes(?:es)?|años?)
        | há \x20 {ABOUT_PT}? {number} \x20 (?:segundos?|minutos?|horas?|dias?|semanas?|mês|meses|anos?) (?:\x20atrás)?
        | {number} \x20 (?:segundos?|minutos?|horas?|dias?|semanas?|mês|meses|anos?) \x20 atrás
        | {number} \x20 (?:second[oi]|minut[oi]|or[ae]|giorn[oi]|settiman[ae]|mes[ei]|ann[oi]) \x20 fa
        | {number} \x20 (?:second(?:e|en)|minu(?:ut|ten)|uur|uren|dag(?:en)?|week|weken|maand(?:en)?|jaar|jaren) \x20 geleden
        | (?:för\x20)? {number} \x20 (?:sekund(?:er)?|minut(?:er)?|timm(?:e|ar)|dag(?:ar)?|veck(?:a|or)|månad(?:er)?|år) \x20 sedan
        | (?:for\x20)? {number} \x20 (?:sekund(?:er)?|minutt?(?:er)?|timer?|dage?r?|uker?|uger?|måned(?:er)?|år) \x20 siden
        | {number} \x20 (?:sekuntia?|minuuttia?|tuntia?|päivää?|viikkoa?|kuukau(?:si|tta)|vuo(?:si|tta)) \x20 sitten
        | {number} \x20 (?:sekund(?:ę|y)?|minut(?:ę|y)?|min|godzin(?:ę|y)?|godz\.?|dzień|dni|tydzień|tygodnie?|miesiące?
            |miesiąc|miesięcy|rok|lata?) \x20 temu
        | před \x20 {number} \x20 (?:sekund(?:ou|ami)|minut(?:ou|ami)|hodin(?:ou|ami)|dnem|dny|týdn(?:em|y)|měsíc(?:em|i)
            |rok(?:em|y)|lety)
        | pred \x20 {number} \x20 (?:sekund(?:ou|ami|o|ami)|minút(?:ou|ami)|hodin(?:ou|ami)|dňom|dňami|týždň(?:om|ami)
            |mesiac(?:om|mi)|rok(?:om|mi)|minut(?:o|ami)|ur(?:o|ami)|dne(?:vom|vi)|tedn(?:om|i)|mesec(?:em|i)|let(?:om|i))
        | (?:prije|pre) \x20 {number} \x20 (?:sekund[eai]|minut[eau]|sat[ai]?|dana?|tjed(?:an|na)|nedelj[aeu]|mjesec[ai]?|mesec[ai]?
            |godin[aeu])
        | {number} \x20 (?:másodperccel|perccel|órával|nappal|héttel|hónappal|évvel) \x20 ezelőtt
        | acum \x20 {number} \x20 (?:de\x20)? (?:secund(?:e|ă)|minute?|or(?:e|ă)|zi(?:le)?|săptămân(?:i|ă)|lun(?:i|ă)|ani?)
        | {number} \x20 (?:секунд(?:у|ы)?|минут(?:у|ы)?|мин\.?|час(?:а|ов)?|день|дня|дней|недел(?:ю|и|ь)|месяц(?:а|ев)?|год(?:а)?|лет)
            \x20 назад
        | {number} \x20 (?:секунд(?:у|и)?|хвилин(?:у|и)?|годин(?:у|и)?|день|дні|днів|тиждень|тижні|тижнів|місяц(?:ь|і|ів)|рік|роки|років)
            \x20 тому
        | преди \x20 {number} \x20 (?:секунд(?:а|и)|минут(?:а|и)|час(?:а)?|ден|дни|седмиц(?:а|и)|месец(?:а)?|годин(?:а|и))
        | πριν \x20 (?:από\x20)? {number} \x20 (?:δευτερόλεπτ(?:ο|α)|λεπτ(?:ό|ά)|ώρ(?:α|ες)|η?μέρ(?:α|ες)|εβδομάδ(?:α|ες)
            |μήν(?:α|ες)|χρόνι(?:α|ο)|έτ(?:ος|η))
        | {number} \x20 (?:saniye|dakika|dk|saat|gün|hafta|ay|yıl) \x20 önce
        | (?:منذ|قبل) \x20 {number} \x20 (?:ثانية|ثوان|دقيقة|دقائق|ساعة|ساعات|يوم|يومًا|أيام|أسبوع|أسابيع|شهر|أشهر|شهور|سنة|سنوات)
        | {number} \x20 (?:ثانیه|دقیقه|ساعت|روز|هفته|ماه|سال) \x20 قبل
        | לפני \x20 {number} \x20 (?:שניות|דקות|שעות|ימים|שבועות|חודשים|שנים)
        | {number} \x20 (?:सेकंड|मिनट|घंटे|घंटा|दिन|सप्ताह|हफ़्ते|महीने|माह|वर्ष|साल) \x20 पहले
        | {number} \x20 (?:detik|menit|jam|hari|minggu|bulan|tahun) \x20 (?:yang\x20)? lalu
        | {number} \x20 (?:giây|phút|giờ|ngày|tuần|tháng|năm) \x20 trước
        | {number} \x20? (?:วินาที|นาที|ชั่วโมง|วัน|สัปดาห์|เดือน|ปี) ที่ (?:ผ่านมา|แล้ว)
        | {number} \x20? (?:秒钟?|秒鐘|分钟?|分鐘|時間|小时|小時|天|日|周|週間?|か月|ヶ月|カ月|个月|個月|年) \x20? (?:以|之)? 前
        | {number} \x20? (?:초|분|시간|일|주일?|개월|달|년) \x20? 전
        | {number} \x20 (?:sekundi(?:t)?|minuti(?:t)?|tunni|päeva|nädala|kuu|aasta) \x20 (?:eest|tagasi)
        | pirms \x20 {number} \x20 (?:sekund(?:es|ēm)|minūt(?:es|ēm)|stund(?:as|ām)|dien(?:as|ām)|nedēļ(?:as|ām)|mēneš(?:a|iem)
            |gad(?:a|iem))
        | prieš \x20 {number} \x20 (?:sekund(?:ę|es|žių)|minu(?:tę|tes|čių)|valand(?:ą|as|ų)|dien(?:ą|as|ų)|savait(?:ę|es|čių)
            |mėnes(?:į|ius|ių)|met(?:us|ų))
        ) {BY} \.? $"
    )
}

// What is not quite so long.
const ABOUT_FR: &str = r"(?: (?:environ|presque) \x20 | (?:plus|moins|près) \x20 (?:de\x20|d(?:'|’)) )";
const ABOUT_DE: &str = r"(?: (?:etwa|über|fast|ca\.|rund|mehr\x20als|weniger\x20als|ungefähr) \x20 )";
const ABOUT_ES: &str = r"(?: (?:más\x20de|menos\x20de|casi|cerca\x20de|aproximadamente|unos|unas) \x20 )";
const ABOUT_PT: &str = r"(?: (?:mais\x20de|menos\x20de|cerca\x20de|quase|aproximadamente) \x20 )";

/// Returns the pattern of one second, one minute and so on, of all languages that write it without a digit.
pub(super) fn pattern_of_one() -> String {
    format!(
        r"(?xi-u) ^ (?: {DONE} \x20? (?: : | ： )? \x20? )? (?:
        il \x20 y \x20 a \x20 (?: {ABOUT_FR}? (?:une? \x20 (?:seconde|minute|heure|jour|semaine|mois|an|année)) | quelques \x20 (?:secondes|minutes|heures|jours) )
        | vor \x20 (?: {ABOUT_DE}? eine[rmn] \x20 (?:sekunde|minute|stunde|tag|woche|monat|jahr)
            | (?:ein\x20paar|wenigen) \x20 (?:sekunden|minuten|stunden|tagen) )
        | hace \x20 (?: {ABOUT_ES}? una? \x20 (?:segundo|minuto|hora|d(?:i|í)a|semana|mes|año) | unos \x20 segundos )
        | há \x20 (?: {ABOUT_PT}? uma? \x20 (?:segundo|minuto|hora|dia|semana|mês|ano) | alguns \x20 segundos ) (?:\x20atrás)?
        | uma? \x20 (?:segundo|minuto|hora|dia|semana|mês|ano) \x20 atrás
        | (?:(?:circa|quasi|oltre|più\x20di)\x20)? un (?:a?\x20|(?:'|’))
            (?:secondo|minuto|ora|giorno|settimana|mese|anno) \x20 fa
        | (?:(?:ongeveer|bijna|ruim|meer\x20dan)\x20)? een \x20 (?:seconde|minuut|uur|dag|week|maand|jaar|paar\x20seconden) \x20 geleden
        | (?:för\x20)? (?:(?:cirka|ungefär|nästan|över|mer\x20än)\x20)? (?:en|ett) \x20 (?:sekund|minut|timm[ea]|dag|vecka|månad|år) \x20 sedan
        | (?:for\x20)? (?:(?:cirka|omtrent|næsten|nesten|over|mer\x20enn|mere\x20end)\x20)? (?:en|et|ett|én)
            \x20 (?:sekund|minutt?|time|dag|uke|uge|måned|år) \x20 siden
        | (?:(?:noin|yli|lähes)\x20)? (?:sekunti|minuutti|tunti|päivä|viikko|kuukausi|vuosi) \x20 sitten
        | (?:(?:około|ponad|prawie)\x20)? (?:sekundę|minutę|godzinę|dzień|tydzień|miesiąc|rok|kilka\x20sekund) \x20 temu
        | před \x20 (?:sekundou|minutou|hodinou|dnem|týdnem|měsícem|rokem|chvílí)
        | pred \x20 (?:sekundou|minútou|hodinou|dňom|týždňom|mesiacom|rokom)
        | egy \x20 (?:másodperccel|perccel|órával|nappal|héttel|hónappal|évvel) \x20 ezelőtt
        | acum \x20 (?:un\x20minut|o\x20oră|o\x20zi|o\x20săptămână|o\x20lună|un\x20an)
        | (?:(?:около|более|больше|почти)\x20)? (?:секунду|минуту|час|день|неделю|месяц|год|несколько\x20секунд) \x20 назад
        | (?:секунду|хвилину|годину|день|тиждень|місяць|рік) \x20 тому
        | bir \x20 (?:saniye|dakika|saat|gün|hafta|ay|yıl) \x20 önce
        | (?:sedetik|semenit|sejam|sehari|seminggu|sebulan|setahun) \x20 (?:yang\x20)? lalu
        | một \x20 (?:phút|giờ|ngày|tuần|tháng|năm) \x20 trước
        ) {BY} \.? $"
    )
}

/// Returns the pattern of what was done today or yesterday.
pub(super) fn pattern_of_days() -> String {
    format!(
        r"(?xi-u) ^ {DONE} \x20? :? \x20 (?: aujourd(?:'|’)hui | (?:avant-)? hier | heute | (?:vor)? gestern | hoy | (?:ante)? ayer
            | hoje | ontem | oggi | ieri | vandaag | (?:eer)? gisteren | idag | i\x20dag | igår | i\x20går | tänään | eilen
            | dzisiaj | dziś | wczoraj | dnes | včera | (?:С|с)егодня | (?:В|в)чера | (?:С|с)ьогодні | (?:У|у)чора | bugün
            | dün | kemarin ) {BY} \.? $"
    )
}

#[cfg(test)]
mod tests {
    use crate::noise::NoiseRule;
    use crate::noise::tests::{assert_cleans, assert_keeps};

    #[test]
    fn relative_times_of_the_world_vanish_where_they_are_all_that_is_said() {
        for line in [
            "il y a 3 jours",
            "Publié il y a environ 2 heures",
            "Mis à jour il y a 5 minutes par Anne",
            "vor 3 Tagen",
            "Zuletzt aktualisiert: vor 2 Stunden",
            "hace 3 días",
            "Actualizado hace 1 mes por Ana",
            "há 3 dias",
            "3 dias atrás",
            "3 giorni fa",
            "3 dagen geleden",
            "för 3 dagar sedan",
            "for 3 dager siden",
            "3 dage siden",
            "3 päivää sitten",
            "3 dni temu",
            "před 3 dny",
            "pred 3 dňami",
            "prije 3 dana",
            "pre 3 dana",
            "3 nappal ezelőtt",
            "acum 3 zile",
            "3 дня назад",
            "Обновлено 2 часа назад",
            "3 дні тому",
            "преди 3 дни",
            "πριν από 3 ημέρες",
            "3 gün önce",
            "منذ 3 أيام",
            "3 روز قبل",
            "לפני 3 ימים",
            "3 दिन पहले",
            "3 hari yang lalu",
            "3 ngày trước",
            "3 วันที่ผ่านมา",
            "3日前",
            "更新: 3 日前",
            "3天前",
            "更新于 2 小时前",
            "3일 전",
            "3 päeva tagasi",
            "pirms 3 dienām",
            "prieš 3 dienas",
            "il y a plus de 2 mois",
            "vor über 2 Jahren",
            "hace más de 2 meses",
            "há mais de 2 anos",
            "il y a une heure",
            "Publié il y a un jour",
            "Mis à jour il y a plus d'un mois par Anne",
            "vor einer Stunde",
            "Aktualisiert vor über einem Jahr",
            "vor ein paar Sekunden",
            "hace una hora",
            "Actualizado hace más de un mes",
            "há um mês",
            "uma semana atrás",
            "un'ora fa",
            "un mese fa",
            "een maand geleden",
            "en månad sedan",
            "for en time siden",
            "kuukausi sitten",
            "godzinę temu",
            "před rokem",
            "egy hónappal ezelőtt",
            "acum o lună",
            "месяц назад",
            "годину тому",
            "bir ay önce",
            "sebulan yang lalu",
            "một tháng trước",
        ] {
            assert_cleans(NoiseRule::RelativeTimes, &[(line, ""), (&format!("Ann | {line} | x"), "Ann | x")]);
        }
    }

    #[test]
    fn what_was_done_today_or_yesterday_vanishes() {
        for line in [
            "Publié aujourd'hui",
            "Mis à jour : hier",
            "Zuletzt aktualisiert: gestern",
            "Veröffentlicht heute von Jörg",
            "Actualizado hoy",
            "Publicado ontem",
            "Pubblicato ieri",
            "Geplaatst vandaag",
            "Uppdaterad igår",
            "Opublikowano wczoraj",
            "Обновлено сегодня",
        ] {
            assert_cleans(NoiseRule::RelativeTimes, &[(line, ""), (&format!("Ann | {line} | x"), "Ann | x")]);
        }
    }

    #[test]
    fn the_same_words_in_prose_stay() {
        assert_keeps(&[
            "Ouvert aujourd'hui de 9 h à 17 h",
            "Hier",
            "Hoy",
            "Heute geöffnet",
            "Geschlossen gestern und heute",
            "Pubblicato ieri il bando per il ponte",
            "Die Kündigung ist nicht vor 30 Tagen möglich",
            "Storno nicht vor 30 Tagen",
            "S'il y a 3 jours de retard, un frais s'ajoute",
            "Il y a 3 jours fériés en mai",
            "Hace 3 días de sol",
            "Il y a un bureau de poste en face",
            "Il y a une heure de trajet",
            "Nicht vor einem Jahr",
            "Vor einem Tag am Meer",
            "Hace un día de sol",
            "Un mese fa caldo",
            "Una semana de descanso",
            "Een uur",
            "Etkinlikten bir ay önce",
            "Etkinlikten 3 gün önce",
            "キャンセルは3日前まで",
            "活动开始3天前",
            "3일 전까지 신청",
            "Vor 1931 gebaut",
            "Heute geschlossen",
            "Hier klicken",
            "今日",
        ]);
    }
}
