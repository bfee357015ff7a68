import { Migration } from "@mikro-orm/migrations";

export class Migration20261125010000_referrer_pages extends Migration {
  override name = "Migration20261125010000_referrer_pages";

  override up(): void | Promise<void> {
    this.addSql(`drop index \`oci_manifests_repository_id_subject_index\`;`);
    this.addSql(`create index \`oci_manifests_repository_id_subject_id_index\` on
      \`oci_manifests\` (\`repository_id\`, \`subject\`, \`id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index \`oci_manifests_repository_id_subject_id_index\`;`);
    this.addSql(`create index \`oci_manifests_repository_id_subject_index\` on
      \`oci_manifests\` (\`repository_id\`, \`subject\`);`);
  }
}
