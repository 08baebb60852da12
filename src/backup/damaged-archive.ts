/** The archive cannot be trusted. The message ends the sentence "FILE cannot be restored: …". */
export class DamagedArchive extends Error {
  override readonly name = 'DamagedArchive';
}
