<?php

declare(strict_types=1);

namespace Tillseal\Outbox;

/** Sealed: print `VerificationCode` and `QrCodeContent` of the answer. */
final class Signed
{
    /** @param array<string, mixed> $receipt the answer of Tillseal: the receipt with its seal */
    public function __construct(
        public readonly string $reference,
        public readonly array $receipt,
    ) {
    }
}
