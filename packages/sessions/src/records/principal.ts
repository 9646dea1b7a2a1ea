/** For whom something is done: all that is read and written is this owner's, in this workspace. */
export interface Principal {
  readonly owner: string;
  readonly workspace: string;
}
