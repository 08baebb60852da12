<?php

namespace Tillseal\Error;

/** 409: the reference is already used for other data; `$errors` names the fields that differ. */
final class ConflictException extends ProblemException {}
