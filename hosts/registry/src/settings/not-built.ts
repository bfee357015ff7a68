/** Settings that are promised but need a part this version does not have. Setting one to anything
 * but a harmless value stops the start: nothing is silently ignored. */
export type NotBuilt = {
  /** A key, or a section with everything below it. */
  readonly section: string;
  /** The one key below the section that asks for the part; without it, every key does. */
  readonly trigger?: string;
  /** Values that ask for nothing; an empty value never does. */
  readonly harmless?: readonly string[];
  readonly missing: string;
};

export const NOT_BUILT: readonly NotBuilt[] = [
  { section: "Host__Authentication", missing: "sign-in with an identity provider" },
  { section: "Host__Webhooks", missing: "webhooks" },
  { section: "EmailSettings", trigger: "Provider", harmless: ["None"], missing: "mail" },
  { section: "PackageSources", missing: "package sources (mirrors)" },
  { section: "Mirror", trigger: "Enabled", harmless: ["false"], missing: "mirrors" },
];

/** Values of a choice that are promised but not in this version, with what is missing. */
export const VALUES_NOT_BUILT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Database__Type: {
    SqlServer: "the SQL Server driver",
  },
  Storage__Type: {
    AwsS3: "S3 storage",
    AzureBlobStorage: "Azure Blob storage",
    Gcs: "Google Cloud storage",
    GoogleCloudStorage: "Google Cloud storage",
    Sftp: "SFTP storage",
    Ftp: "FTP storage",
  },
};

/** Values that require an additional package, with its name. */
export const VALUES_OF_PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Signing__Mode: {
    AzureKeyVault: "@sealhouse/signing-azure-key-vault",
    AwsKms: "@sealhouse/signing-aws",
    AwsSigner: "@sealhouse/signing-aws",
    GcpKms: "@sealhouse/signing-google",
    GcpHsm: "@sealhouse/signing-google",
  },
};
