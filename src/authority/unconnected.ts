/** What an answer says of a receipt whose device is not registered with any authority. */
export const NOT_CONNECTED =
  'Not submitted: this device is not registered with a tax authority. The receipt is sealed and waits.';
