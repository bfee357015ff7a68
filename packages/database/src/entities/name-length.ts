/** Maximum lengths of columns. This module does not import MikroORM, because lookups use it. */
export const NAME_LENGTH = {
  protocol: 16,
  digest: 135,
  storageKey: 255,
  document: 400,
  actor: 255,
  tokenId: 64,
  address: 64,
  requestId: 128,
  subject: 512,
  registryId: 36,
  webhookId: 36,
} as const;
