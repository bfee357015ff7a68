import { Migration } from "@mikro-orm/migrations";

export class Migration20261124010000_oci_complete extends Migration {
  override name = "Migration20261124010000_oci_complete";

  override up(): void | Promise<void> {
    this.addSql(`create table \`oci_gc_runs\` (\`id\` varchar(36) collate utf8mb4_bin
      not null, \`surface\` varchar(255) collate utf8mb4_bin not
      null, \`dry_run\` tinyint(1) not null, \`reviewed\`
      varchar(36) collate utf8mb4_bin null, \`state\` varchar(16)
      collate utf8mb4_bin not null, \`unused_since\` datetime(3)
      not null, \`started_at\` datetime(3) not null, \`finished_at\`
      datetime(3) null, \`removed_count\` bigint not null,
      \`removed_bytes\` bigint not null, \`error\` longtext null,
      primary key (\`id\`)) default character set utf8mb4 collate
      utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_gc_runs\` add index
      \`oci_gc_runs_started_at_index\` (\`started_at\`);`);

    this.addSql(`create table \`oci_gc_candidates\` (\`id\` bigint unsigned not null
      auto_increment primary key, \`run_id\` varchar(36) collate
      utf8mb4_bin not null, \`kind\` varchar(16) collate
      utf8mb4_bin not null, \`repository\` varchar(255) collate
      utf8mb4_bin not null, \`digest\` varchar(135) collate
      utf8mb4_bin not null, \`size\` bigint not null, \`reason\`
      varchar(16) collate utf8mb4_bin not null, \`last_used_at\`
      datetime(3) not null) default character set utf8mb4
      collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_gc_candidates\` add index
      \`oci_gc_candidates_run_id_index\` (\`run_id\`);`);
    this.addSql(`alter table \`oci_gc_candidates\` add unique
      \`oci_gc_candidates_run_id_kind_repository_digest_unique\`
      (\`run_id\`, \`kind\`, \`repository\`, \`digest\`);`);

    this.addSql(`create table \`oci_holds\` (\`digest\` varchar(135) collate
      utf8mb4_bin not null, \`holder\` varchar(255) collate
      utf8mb4_bin not null, \`held_until\` datetime(3) null,
      primary key (\`digest\`, \`holder\`)) default character set
      utf8mb4 collate utf8mb4_bin engine = InnoDB;`);
    this.addSql(`alter table \`oci_holds\` add index \`oci_holds_holder_index\`
      (\`holder\`);`);

    this.addSql(`alter table \`blobs\` add \`verified_at\` datetime(3) null, add
      \`damaged_at\` datetime(3) null;`);
    this.addSql(`alter table \`blobs\` add index
      \`blobs_protocol_state_touched_at_index\` (\`protocol\`,
      \`state\`, \`touched_at\`);`);
    this.addSql(`alter table \`blobs\` add index \`blobs_protocol_verified_at_index\`
      (\`protocol\`, \`verified_at\`);`);

    this.addSql(`alter table \`oci_repository_blobs\` add index
      \`oci_repository_blobs_repository_id_linked_at_index\`
      (\`repository_id\`, \`linked_at\`);`);

    this.addSql(`alter table \`oci_tags\` add \`subject\` varchar(135) collate
      utf8mb4_bin null, add \`pulled_at\` datetime(3) null;`);
    this.addSql(`alter table \`oci_tags\` add index
      \`oci_tags_repository_id_subject_index\` (\`repository_id\`,
      \`subject\`);`);

    this.addSql(`alter table \`oci_uploads\` add \`bytes\` longblob null;`);

    this.addSql(`alter table \`oci_gc_candidates\` add constraint
      \`oci_gc_candidates_run_id_foreign\` foreign key (\`run_id\`)
      references \`oci_gc_runs\` (\`id\`) on delete cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`oci_gc_candidates\` drop foreign key
      \`oci_gc_candidates_run_id_foreign\`;`);

    this.addSql(`drop table if exists \`oci_gc_runs\`;`);
    this.addSql(`drop table if exists \`oci_gc_candidates\`;`);
    this.addSql(`drop table if exists \`oci_holds\`;`);

    this.addSql(`alter table \`blobs\` drop index
      \`blobs_protocol_state_touched_at_index\`;`);
    this.addSql(`alter table \`blobs\` drop index
      \`blobs_protocol_verified_at_index\`;`);
    this.addSql(`alter table \`blobs\` drop column \`verified_at\`, drop column
      \`damaged_at\`;`);

    this.addSql(`alter table \`oci_repository_blobs\` drop index
      \`oci_repository_blobs_repository_id_linked_at_index\`;`);

    this.addSql(`alter table \`oci_tags\` drop index
      \`oci_tags_repository_id_subject_index\`;`);
    this.addSql(`alter table \`oci_tags\` drop column \`subject\`, drop column
      \`pulled_at\`;`);

    this.addSql(`alter table \`oci_uploads\` drop column \`bytes\`;`);
  }
}
