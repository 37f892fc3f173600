-- The store, version 4. One row of `runs` owns rows of the other tables by its `number`; rows of one run stand
-- together, in the order in which things happened. Turns count from 1, calls of a turn from 0 (-1: no call).
--
--   the record    runs turns messages calls observations stated texts secrets rubrics verdicts
--                 deliverables
--   the tab       statements candidates read_log requirements resolutions refusals consultations reviews stops
--                 finish_checks, and why: decisions, overruled, differences, oracle
--   the numbers   text_values rubric_values
--   the load      files problems
--   what persons  corrections decision_corrections labels notes
--   said
--   what models   answers
--   said
--
-- A text stands once in `texts` under the digest of its content (blake2b, 128 bit, as UUID); other tables name it.
-- The values that texts state stand in `text_values`, once for a text however many runs name it.

CREATE TABLE meta (version INTEGER, program VARCHAR);

CREATE TABLE files (
    path VARCHAR, size BIGINT, changed BIGINT, beside VARCHAR, digest VARCHAR, format VARCHAR, tally VARCHAR
);
CREATE TABLE problems (
    source VARCHAR, file VARCHAR, line INTEGER, kind VARCHAR, what VARCHAR, done VARCHAR, lost BOOLEAN
);
CREATE TABLE corrections (path VARCHAR, key VARCHAR, root VARCHAR, task VARCHAR);
-- Who said when what a call did with a file. Nothing here is ever changed: a later row takes an earlier one's place.
-- A row counts for the run `key` of the log with that digest, wherever it lies, and of the log at that path, grown since;
-- there only where the call's short text is still `command`. `file` is absolute, so that another root changes nothing.
CREATE TABLE decision_corrections (
    path VARCHAR, digest VARCHAR, key VARCHAR, turn INTEGER, call INTEGER, command VARCHAR, file VARCHAR, kind VARCHAR,
    who VARCHAR, time DOUBLE
);
-- Who said when of which type a failed rubric's failure is; an empty type takes a label back. Nothing here is ever changed:
-- the last row of an annotator counts. A row is of the run `key` of the log with that digest, or of the log at that path, and
-- counts where the rubric's text is still `text`. `kind` is person or model; `evidence` is what a model quoted, `version`
-- that of its prompt; both are "" for persons. Times in seconds since 1970, UTC.
CREATE TABLE labels (
    path VARCHAR, digest VARCHAR, key VARCHAR, rubric VARCHAR, text VARCHAR, type VARCHAR, annotator VARCHAR, kind VARCHAR,
    time DOUBLE, note VARCHAR, evidence VARCHAR, version VARCHAR
);
-- What a person noted on a run: on a turn, a rubric, a requirement or a value, each 0 or "" where it is not what it is on.
CREATE TABLE notes (
    path VARCHAR, digest VARCHAR, key VARCHAR, turn INTEGER, rubric VARCHAR, requirement VARCHAR, value VARCHAR,
    text VARCHAR, who VARCHAR, time DOUBLE
);

CREATE TABLE runs (
    number INTEGER, run_id VARCHAR, key VARCHAR, digest VARCHAR, path VARCHAR,
    format VARCHAR, harness VARCHAR, session VARCHAR, stated_task VARCHAR, stated_source VARCHAR, stated_root VARCHAR,
    cwd VARCHAR, fresh_cwd BOOLEAN, method VARCHAR, model VARCHAR, attempt INTEGER, attempts INTEGER, suite VARCHAR,
    task_name VARCHAR, started DOUBLE, simulated VARCHAR, parent_key VARCHAR, parent_call VARCHAR,
    turns INTEGER, abandoned INTEGER, calls INTEGER, observed_chars BIGINT,
    task VARCHAR, task_source VARCHAR, root VARCHAR, root_source VARCHAR, recorded_tab BOOLEAN,
    reads INTEGER, files_read INTEGER, candidates INTEGER, starred INTEGER, requirements INTEGER, resolved INTEGER,
    unknowns INTEGER, differences INTEGER, stated INTEGER, agreed INTEGER, missed INTEGER, corrected INTEGER
);

-- A growing log's run has another id after each growth; the earlier ones still name it.
CREATE TABLE run_aliases (run_id VARCHAR, run INTEGER);
-- Logs that are or were followed while they grew: when the last bytes came, after how many seconds without any a log
-- counts as ended, and why it is followed no more ("" while it is). Times in seconds since 1970, UTC.
CREATE TABLE followed (path VARCHAR, grown DOUBLE, quiet DOUBLE, ended VARCHAR);

-- `number` names a text in `text_values`; it grows with each text that comes in.
CREATE TABLE texts (digest UUID, text VARCHAR USING COMPRESSION zstd, number INTEGER);
-- Every value of every text but the arguments of calls: `key` is its canonical form (1200, -5, 12.3%, 2024-06-28), `kind`
-- one of plain, decimals, percent, currency, year, date; its characters are `start` to `end`. Rows of one text stand
-- together, in the order of the text.
CREATE TABLE text_values (text INTEGER, key VARCHAR, kind VARCHAR, start INTEGER, "end" INTEGER);

-- `abandoned` is 0 on the branch that counts, else which of the given-up turns this is.
CREATE TABLE turns (
    run INTEGER, turn INTEGER, abandoned INTEGER, text UUID, said INTEGER, reasoning UUID, received INTEGER,
    outcome VARCHAR, is_stop BOOLEAN, model VARCHAR, cwd VARCHAR, line INTEGER, time DOUBLE,
    tokens_in BIGINT, tokens_out BIGINT, cache_read BIGINT, cache_write BIGINT, cost DOUBLE, has_usage BOOLEAN
);
-- Said before the response of `turn`; `after_last` for what was said after the last turn. `spans` is JSON.
CREATE TABLE messages (
    run INTEGER, turn INTEGER, abandoned INTEGER, after_last BOOLEAN, text UUID, chars INTEGER, origin VARCHAR,
    kind VARCHAR, line INTEGER, time DOUBLE, spans VARCHAR
);
CREATE TABLE calls (
    run INTEGER, turn INTEGER, abandoned INTEGER, call INTEGER, call_id VARCHAR, name VARCHAR, command VARCHAR,
    operation VARCHAR, arguments UUID, line INTEGER
);
CREATE TABLE observations (
    run INTEGER, turn INTEGER, abandoned INTEGER, call_id VARCHAR, text UUID, chars INTEGER, is_error BOOLEAN,
    spans VARCHAR, images INTEGER, exit_code INTEGER, cwd VARCHAR, line INTEGER, time DOUBLE
);
-- What the record itself says of files; `call_id` is "" for a word on all calls so far.
CREATE TABLE stated (
    run INTEGER, turn INTEGER, abandoned INTEGER, kind VARCHAR, path VARCHAR, source VARCHAR, call_id VARCHAR
);
-- Where keys and tokens of well-known shapes stand in texts, characters `start` to `end`; turn 0: beside the log.
CREATE TABLE secrets (
    run INTEGER, turn INTEGER, abandoned INTEGER, text UUID, start INTEGER, "end" INTEGER, kind VARCHAR
);
CREATE TABLE rubrics (run INTEGER, rubric_id VARCHAR, text VARCHAR, points DOUBLE);
CREATE TABLE rubric_values (run INTEGER, rubric_id VARCHAR, key VARCHAR, kind VARCHAR, start INTEGER, "end" INTEGER);
CREATE TABLE verdicts (run INTEGER, rubric_id VARCHAR, passed BOOLEAN, evidence VARCHAR, judge_failed BOOLEAN);
-- What a run delivered. `source` says how its text is known: file, written, code, answer (see trajectory.Deliverable);
-- `turn` is when it was last written. `pieces` names the JSON text that says where each part of the text sits.
CREATE TABLE deliverables (
    run INTEGER, path VARCHAR, size BIGINT, sha256 VARCHAR, text UUID, source VARCHAR, written_turn INTEGER,
    kind VARCHAR, pieces UUID
);

CREATE TABLE status_lines (run INTEGER, turn INTEGER, line VARCHAR);
-- What capture decided at a call and by which rule; one row for neighbouring paths that share both.
CREATE TABLE decisions (
    run INTEGER, turn INTEGER, call INTEGER, kind VARCHAR, rule VARCHAR, partial BOOLEAN, previous VARCHAR,
    paths VARCHAR[]
);
-- The decisions of capture that a person corrected, at the call that was corrected; `said` is capture's own word.
CREATE TABLE overruled (
    run INTEGER, turn INTEGER, call INTEGER, path VARCHAR, kind VARCHAR, who VARCHAR, time DOUBLE, said VARCHAR,
    rule VARCHAR
);
-- What the record says of files, checked against capture; `captured` is what capture said instead.
CREATE TABLE oracle (
    run INTEGER, turn INTEGER, call INTEGER, kind VARCHAR, path VARCHAR, source VARCHAR, agreed BOOLEAN,
    captured VARCHAR
);
CREATE TABLE statements (run INTEGER, turn INTEGER, call INTEGER, text VARCHAR);
CREATE TABLE candidates (
    run INTEGER, path VARCHAR, listed_turn INTEGER, listed_call INTEGER, starred_turn INTEGER, left_turn INTEGER,
    left_call INTEGER, left_by VARCHAR
);
CREATE TABLE read_log (
    run INTEGER, entry_id VARCHAR, path VARCHAR, turn INTEGER, call INTEGER, command VARCHAR, excerpt UUID,
    chars INTEGER, authored BOOLEAN, partial BOOLEAN
);
CREATE TABLE requirements (run INTEGER, turn INTEGER, call INTEGER, requirement VARCHAR, text VARCHAR);
CREATE TABLE resolutions (
    run INTEGER, turn INTEGER, call INTEGER, requirement VARCHAR, status VARCHAR, entry VARCHAR, reason VARCHAR
);
CREATE TABLE refusals (
    run INTEGER, turn INTEGER, call INTEGER, operation VARCHAR, requirement VARCHAR, why VARCHAR
);
CREATE TABLE consultations (run INTEGER, turn INTEGER, call INTEGER, kind VARCHAR, entry VARCHAR);
-- One row per requirement shown; a review that showed none has one row with an empty requirement.
CREATE TABLE reviews (
    run INTEGER, turn INTEGER, call INTEGER, review INTEGER, requirement VARCHAR, entries VARCHAR[],
    candidates VARCHAR[]
);
CREATE TABLE stops (run INTEGER, turn INTEGER, call INTEGER);
CREATE TABLE finish_checks (
    run INTEGER, turn INTEGER, call INTEGER, body VARCHAR, open_requirements VARCHAR[], unopened INTEGER
);
CREATE TABLE differences (
    run INTEGER, turn INTEGER, call INTEGER, what VARCHAR, recorded VARCHAR, derived VARCHAR
);
-- What language models answered when they were asked about runs. `key` is a digest of model, parameters and prompt, so that
-- nothing is asked twice; `prompt` (JSON: messages, schema) is what was sent, secrets masked. Tokens and cost as told, NULL
-- where they were not; `time` in seconds since 1970, UTC.
CREATE TABLE answers (
    key VARCHAR, run_id VARCHAR, model VARCHAR, base_url VARCHAR, parameters VARCHAR,
    prompt VARCHAR USING COMPRESSION zstd, answer VARCHAR, finish VARCHAR, form VARCHAR, tokens_in BIGINT,
    tokens_out BIGINT, cost DOUBLE, seconds DOUBLE, time DOUBLE
);
