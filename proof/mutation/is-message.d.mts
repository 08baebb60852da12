interface Text {
  readonly type: string;
  readonly value?: string;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
}

export function isMessage(node: Text): boolean;
