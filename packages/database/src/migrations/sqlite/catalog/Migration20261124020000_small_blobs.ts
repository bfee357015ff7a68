import { Migration } from "@mikro-orm/migrations";

export class Migration20261124020000_small_blobs extends Migration {
  override name = "Migration20261124020000_small_blobs";

  override up(): void | Promise<void> {
    this.addSql(`create table \`blob_contents\` (\`blob_id\` integer not null primary
      key, \`bytes\` blob not null, constraint
      \`blob_contents_blob_id_foreign\` foreign key (\`blob_id\`)
      references \`blobs\` (\`id\`) on update cascade on delete
      cascade);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists \`blob_contents\`;`);
  }
}
