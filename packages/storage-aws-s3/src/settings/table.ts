import type { SettingsTable } from "@sealhouse/settings";

/** Settings of the storage type `AwsS3`. */
export const AWS_S3_SETTINGS = {
  Storage__Bucket: {
    kind: { type: "text" },
    otherwise: "the bucket of the connection string",
    about: "Name of the bucket. It must exist.",
  },
  Storage__Prefix: {
    kind: { type: "text" },
    about: "Folder of all objects in the bucket, such as `feeds/acme`.",
  },
  Storage__Region: {
    kind: { type: "text" },
    otherwise: "`us-east-1` with `Storage__ServiceUrl`; required without it",
    about: "AWS region of the bucket, such as `eu-west-1`.",
  },
  Storage__AccessKey: {
    kind: { type: "text" },
    secret: true,
    otherwise: "the default credential chain: environment, shared files, container, instance",
    about: "Id of the access key.",
  },
  Storage__SecretKey: {
    kind: { type: "text" },
    secret: true,
    about: "The secret that belongs to the access key.",
  },
  Storage__SecretKeyConfigurationKey: {
    kind: { type: "text" },
    about: "Name of a setting or environment variable that has the secret; takes precedence.",
  },
  Storage__UseInstanceProfile: {
    kind: { type: "boolean" },
    fallback: "false",
    about:
      "Uses only the role of the machine: of the instance, the container or the Kubernetes " +
      "service account.",
  },
  Storage__Profile: {
    kind: { type: "text" },
    about: "Name of a profile in the shared files of AWS (`~/.aws`).",
  },
  Storage__AssumeRoleArn: {
    kind: { type: "text" },
    about: "ARN of a role that these credentials assume, and that reads and writes the bucket.",
  },
  Storage__RoleSessionName: {
    kind: { type: "text" },
    otherwise: "`sealhouse`",
    about: "Name of the role's sessions, as the logs of AWS show it.",
  },
  Storage__StsServiceUrl: {
    kind: { type: "url" },
    otherwise: "the public endpoint of the region",
    about: "Address of the security token service, which assumes the role.",
  },
  Storage__ServiceUrl: {
    kind: { type: "url" },
    otherwise: "the public endpoint of the region",
    about: "Address of another store that speaks S3, or of a VPC endpoint.",
  },
  Storage__ForcePathStyle: {
    kind: { type: "boolean" },
    otherwise: "`false`",
    about: "Puts the bucket into the path of a URL instead of its host name.",
  },
  Storage__ConnectionString: {
    kind: { type: "text" },
    secret: true,
    about:
      "`s3://key:secret@bucket?region=…&endpoint=…&forcePathStyle=…&prefix=…` instead of the " +
      "single settings.",
  },
  Storage__ConnectionStringName: {
    kind: { type: "text" },
    about:
      "Name of the connection string in `ConnectionStrings__{name}`, or of an environment " +
      "variable; used when `Storage__ConnectionString` is not set.",
  },
} as const satisfies SettingsTable;
