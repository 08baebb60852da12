<?php

namespace Tillseal\Outbox;

/** What a drain did, and the status after it. */
final class Drained
{
    public function __construct(
        public readonly int $signed,
        public readonly int $setAside,
        public readonly Status $status,
    ) {}
}
