/** Settings that are promised but need a part this version does not have. Setting one to anything
 * but a harmless value stops the start: nothing is silently ignored. */
export type NotBuilt = {
  /** A key, or a section with everything below it; `*` matches one name. */
  readonly section: string;
  /** The one key below the section that asks for the part; without it, every key does. */
  readonly trigger?: string;
  /** Values that ask for nothing; an empty value never does. */
  readonly harmless?: readonly string[];
  /** A key and its value that disable the section, so that its other keys ask for nothing. */
  readonly disabledBy?: { readonly key: string; readonly value: string };
  /** A key whose own problem is enough: it selects the part that is missing. */
  readonly selectedBy?: string;
  readonly missing: string;
};

export const NOT_BUILT: readonly NotBuilt[] = [
  { section: "Host__Authentication", missing: "sign-in with an identity provider" },
];

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
