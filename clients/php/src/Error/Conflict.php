<?php

declare(strict_types=1);

namespace Tillseal\Error;

/** 409: the reference is taken by other content; `$errors` names the differing fields. */
final class Conflict extends Problem
{
}
