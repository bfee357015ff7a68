import { Migration } from "@mikro-orm/migrations";

export class Migration20261125010000_referrer_pages extends Migration {
  override name = "Migration20261125010000_referrer_pages";

  override up(): void | Promise<void> {
    this.addSql(`alter table \`oci_manifests\` drop index
      \`oci_manifests_repository_id_subject_index\`;`);
    this.addSql(`alter table \`oci_manifests\` add index
      \`oci_manifests_repository_id_subject_id_index\`
      (\`repository_id\`, \`subject\`, \`id\`);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table \`oci_manifests\` drop index
      \`oci_manifests_repository_id_subject_id_index\`;`);
    this.addSql(`alter table \`oci_manifests\` add index
      \`oci_manifests_repository_id_subject_index\`
      (\`repository_id\`, \`subject\`);`);
  }
}
