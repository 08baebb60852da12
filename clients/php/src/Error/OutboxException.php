<?php

namespace Tillseal\Error;

/** The outbox's file cannot be read or written. Thrown by `sell`: nothing was sent. */
final class OutboxException extends TillsealException
{
    /** @internal $isFileLost: it was deleted, replaced or damaged, and what was written with it */
    public function __construct(string $message, public readonly bool $isFileLost = false)
    {
        parent::__construct($message);
    }
}
