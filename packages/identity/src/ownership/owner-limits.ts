/**
 * Users and teams that one name has as owners, readers included. Each change of the owners writes
 * all of them to an event and to documents.
 */
export const OWNERS_OF_NAME_MAX = 100;
