<?php

namespace Tillseal\Outbox;

/** Sealed: print `VerificationCode` and `QrCodeContent` of the receipt. */
final class Signed
{
    public function __construct(
        public readonly string $reference,
        public readonly ?int $number,
        /** @var ?array<string, mixed> Tillseal's answer; null if the sale was signed long ago and Tillseal cannot be reached */
        public readonly ?array $receipt,
        public readonly ?int $clockAheadSeconds,
    ) {}
}
