import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`oci_gc_runs\` (\`id\` text not null primary key,
      \`surface\` text not null, \`dry_run\` integer not null,
      \`reviewed\` text null, \`state\` text not null,
      \`unused_since\` datetime not null, \`started_at\` datetime
      not null, \`finished_at\` datetime null, \`removed_count\`
      bigint not null, \`removed_bytes\` bigint not null, \`error\`
      text null);`);
    this.addSql(`create index \`oci_gc_runs_started_at_index\` on \`oci_gc_runs\`
      (\`started_at\`);`);

    this.addSql(`create table \`oci_gc_candidates\` (\`id\` integer not null primary
      key autoincrement, \`run_id\` text not null, \`kind\` text not
      null, \`repository\` text not null, \`digest\` text not null,
      \`size\` bigint not null, \`reason\` text not null,
      \`last_used_at\` datetime not null, constraint
      \`oci_gc_candidates_run_id_foreign\` foreign key (\`run_id\`)
      references \`oci_gc_runs\` (\`id\`) on delete cascade);`);
    this.addSql(`create index \`oci_gc_candidates_run_id_index\` on
      \`oci_gc_candidates\` (\`run_id\`);`);
    this.addSql(`create unique index
      \`oci_gc_candidates_run_id_kind_repository_digest_unique\`
      on \`oci_gc_candidates\` (\`run_id\`, \`kind\`, \`repository\`,
      \`digest\`);`);

    this.addSql(`create table \`oci_holds\` (\`digest\` text not null, \`holder\` text
      not null, \`held_until\` datetime null, primary key
      (\`digest\`, \`holder\`));`);
    this.addSql(`create index \`oci_holds_holder_index\` on \`oci_holds\` (\`holder\`);`);

    this.addSql(`alter table \`blobs\` add column \`verified_at\` datetime null;`);
    this.addSql(`alter table \`blobs\` add column \`damaged_at\` datetime null;`);
    this.addSql(`create index \`blobs_protocol_state_touched_at_index\` on \`blobs\`
      (\`protocol\`, \`state\`, \`touched_at\`);`);
    this.addSql(`create index \`blobs_protocol_verified_at_index\` on \`blobs\`
      (\`protocol\`, \`verified_at\`);`);

    this.addSql(`create index
      \`oci_repository_blobs_repository_id_linked_at_index\` on
      \`oci_repository_blobs\` (\`repository_id\`, \`linked_at\`);`);

    this.addSql(`alter table \`oci_tags\` add column \`subject\` text null;`);
    this.addSql(`alter table \`oci_tags\` add column \`pulled_at\` datetime null;`);
    this.addSql(`create index \`oci_tags_repository_id_subject_index\` on
      \`oci_tags\` (\`repository_id\`, \`subject\`);`);

    this.addSql(`alter table \`oci_uploads\` add column \`bytes\` blob null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`oci_gc_runs\`;`);
    this.addSql(`drop table if exists \`oci_gc_candidates\`;`);
    this.addSql(`drop table if exists \`oci_holds\`;`);

    this.addSql(`drop index \`blobs_protocol_state_touched_at_index\`;`);
    this.addSql(`drop index \`blobs_protocol_verified_at_index\`;`);
    this.addSql(`alter table \`blobs\` drop column \`verified_at\`;`);
    this.addSql(`alter table \`blobs\` drop column \`damaged_at\`;`);

    this.addSql(`drop index \`oci_repository_blobs_repository_id_linked_at_index\`;`);

    this.addSql(`drop index \`oci_tags_repository_id_subject_index\`;`);
    this.addSql(`alter table \`oci_tags\` drop column \`subject\`;`);
    this.addSql(`alter table \`oci_tags\` drop column \`pulled_at\`;`);

    this.addSql(`alter table \`oci_uploads\` drop column \`bytes\`;`);
  }
}
