/**
 * Settings of the storage types in packages, with the types that have them. The packages are loaded
 * only when they are selected, so their own tables cannot explain a key of another type.
 */
export const STORE_KEYS: Readonly<Record<string, readonly string[]>> = {
  Storage__ConnectionString: ["AwsS3", "AzureBlobStorage", "Gcs"],
  Storage__ConnectionStringName: ["AwsS3", "AzureBlobStorage", "Gcs"],
  Storage__Prefix: ["AwsS3", "AzureBlobStorage", "Gcs"],
  Storage__Bucket: ["AwsS3", "Gcs"],
  Storage__ServiceUrl: ["AwsS3", "AzureBlobStorage"],
  Storage__AccessKey: ["AwsS3", "AzureBlobStorage"],
  Storage__UseInstanceProfile: ["AwsS3", "AzureBlobStorage"],
  Storage__SecretKey: ["AwsS3"],
  Storage__SecretKeyConfigurationKey: ["AwsS3"],
  Storage__Region: ["AwsS3"],
  Storage__AssumeRoleArn: ["AwsS3"],
  Storage__RoleSessionName: ["AwsS3"],
  Storage__StsServiceUrl: ["AwsS3"],
  Storage__ForcePathStyle: ["AwsS3"],
  Storage__Profile: ["AwsS3"],
  Storage__AccountName: ["AzureBlobStorage"],
  Storage__ManagedIdentityClientId: ["AzureBlobStorage"],
  Storage__Container: ["AzureBlobStorage"],
  Storage__CredentialsPath: ["Gcs"],
  Storage__EmulatorHost: ["Gcs"],
  Storage__UseEmulator: ["Gcs"],
};
