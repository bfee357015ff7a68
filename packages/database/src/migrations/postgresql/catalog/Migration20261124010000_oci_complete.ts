import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table "oci_gc_runs" ("id" varchar(36) collate "C" not
      null, "surface" varchar(255) collate "C" not null,
      "dry_run" boolean not null, "reviewed" varchar(36) collate
      "C" null, "state" varchar(16) collate "C" not null,
      "unused_since" timestamptz(3) not null, "started_at"
      timestamptz(3) not null, "finished_at" timestamptz(3)
      null, "removed_count" bigint not null, "removed_bytes"
      bigint not null, "error" text null, primary key ("id"));`);
    this.addSql(`create index "oci_gc_runs_started_at_index" on "oci_gc_runs"
      ("started_at");`);

    this.addSql(`create table "oci_gc_candidates" ("id" bigserial primary key,
      "run_id" varchar(36) collate "C" not null, "kind"
      varchar(16) collate "C" not null, "repository"
      varchar(255) collate "C" not null, "digest" varchar(135)
      collate "C" not null, "size" bigint not null, "reason"
      varchar(16) collate "C" not null, "last_used_at"
      timestamptz(3) not null);`);
    this.addSql(`alter table "oci_gc_candidates" add constraint
      "oci_gc_candidates_run_id_kind_repository_digest_unique"
      unique ("run_id", "kind", "repository", "digest");`);

    this.addSql(`create table "oci_holds" ("digest" varchar(135) collate "C" not
      null, "holder" varchar(255) collate "C" not null,
      "held_until" timestamptz(3) null, primary key ("digest",
      "holder"));`);
    this.addSql(`create index "oci_holds_holder_index" on "oci_holds" ("holder");`);

    this.addSql(`alter table "blobs" add "verified_at" timestamptz(3) null, add
      "damaged_at" timestamptz(3) null;`);
    this.addSql(`create index "blobs_protocol_state_touched_at_index" on "blobs"
      ("protocol", "state", "touched_at");`);
    this.addSql(`create index "blobs_protocol_verified_at_index" on "blobs"
      ("protocol", "verified_at");`);

    this.addSql(`create index
      "oci_repository_blobs_repository_id_linked_at_index" on
      "oci_repository_blobs" ("repository_id", "linked_at");`);

    this.addSql(`alter table "oci_tags" add "subject" varchar(135) collate "C"
      null, add "pulled_at" timestamptz(3) null;`);
    this.addSql(`create index "oci_tags_repository_id_subject_index" on
      "oci_tags" ("repository_id", "subject");`);

    this.addSql(`alter table "oci_uploads" add "bytes" bytea null;`);

    this.addSql(`alter table "oci_gc_candidates" add constraint
      "oci_gc_candidates_run_id_foreign" foreign key ("run_id")
      references "oci_gc_runs" ("id") on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "oci_gc_candidates" drop constraint
      "oci_gc_candidates_run_id_foreign";`);

    this.addSql(`drop table if exists "oci_gc_runs" cascade;`);
    this.addSql(`drop table if exists "oci_gc_candidates" cascade;`);
    this.addSql(`drop table if exists "oci_holds" cascade;`);

    this.addSql(`drop index "blobs_protocol_state_touched_at_index";`);
    this.addSql(`drop index "blobs_protocol_verified_at_index";`);
    this.addSql(`alter table "blobs" drop column "verified_at", drop column
      "damaged_at";`);

    this.addSql(`drop index "oci_repository_blobs_repository_id_linked_at_index";`);

    this.addSql(`drop index "oci_tags_repository_id_subject_index";`);
    this.addSql(`alter table "oci_tags" drop column "subject", drop column
      "pulled_at";`);

    this.addSql(`alter table "oci_uploads" drop column "bytes";`);
  }
}
