/** What billers, their products and vendors are called by: chosen by people, in addresses and on invoices, and never changed. */
export const CODE_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$';
