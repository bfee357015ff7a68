import { Migration } from "@mikro-orm/migrations";

export class Migration20261123000000_provenance extends Migration {
  override name = "Migration20261123000000_provenance";

  override up(): void | Promise<void> {
    this.addSql(`create table "nuget_replaced_seals" ("id" bigserial primary key,
      "version_id" bigint not null, "plan" bytea null,
      "fingerprint" varchar(64) collate "C" not null, "size"
      bigint not null, "signed_at" timestamptz(3) not null,
      "replaced_at" timestamptz(3) not null, "sha256"
      varchar(64) collate "C" null, "sha512" varchar(88) collate
      "C" null);`);
    this.addSql(`create index "nuget_replaced_seals_version_id_index" on
      "nuget_replaced_seals" ("version_id");`);

    this.addSql(`alter table "nuget_versions" add "content_hash" varchar(88)
      collate "C" null, add "seal_sha256" varchar(64) collate
      "C" null, add "seal_sha512" varchar(88) collate "C" null;`);

    this.addSql(`alter table "nuget_replaced_seals" add constraint
      "nuget_replaced_seals_version_id_foreign" foreign key
      ("version_id") references "nuget_versions" ("id") on
      delete restrict;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "nuget_replaced_seals" cascade;`);

    this.addSql(`alter table "nuget_versions" drop column "content_hash", drop
      column "seal_sha256", drop column "seal_sha512";`);
  }
}
