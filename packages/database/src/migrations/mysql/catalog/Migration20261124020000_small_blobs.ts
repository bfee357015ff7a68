import { Migration } from "@mikro-orm/migrations";

export class Migration20261124020000_small_blobs extends Migration {
  override name = "Migration20261124020000_small_blobs";

  override up(): void | Promise<void> {
    this.addSql(`create table \`blob_contents\` (\`blob_id\` bigint unsigned not
      null, \`bytes\` longblob not null, primary key (\`blob_id\`))
      default character set utf8mb4 collate utf8mb4_bin engine =
      InnoDB;`);

    this.addSql(`alter table \`blob_contents\` add constraint
      \`blob_contents_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on update cascade on delete
      cascade;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`blob_contents\`;`);
  }
}
