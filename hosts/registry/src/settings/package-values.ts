/** Values that require an additional package, with its name. */
export type ValuesOfPackages = Readonly<Record<ExtensibleKey, Readonly<Record<string, string>>>>;

/** Settings to which packages add values. */
export const EXTENSIBLE_KEYS = ["Signing__Mode", "Storage__Type"] as const;
export type ExtensibleKey = (typeof EXTENSIBLE_KEYS)[number];

export const VALUES_OF_PACKAGES: ValuesOfPackages = {
  Signing__Mode: {
    AzureKeyVault: "@sealhouse/signing-azure-key-vault",
    AwsKms: "@sealhouse/signing-aws",
    AwsSigner: "@sealhouse/signing-aws",
    GcpKms: "@sealhouse/signing-google",
    GcpHsm: "@sealhouse/signing-google",
  },
  Storage__Type: {
    AwsS3: "@sealhouse/storage-aws-s3",
    AzureBlobStorage: "@sealhouse/storage-azure-blob",
    Gcs: "@sealhouse/storage-google-cloud",
    GoogleCloudStorage: "@sealhouse/storage-google-cloud",
  },
};
